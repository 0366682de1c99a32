import { describe, expect, test } from 'vitest';
import { eventOf } from '../../../test/provoke/sample.ts';
import { seedEvents } from '../../../test/provoke/seed.ts';
import { checkEvent, type EventOrigin, mayEmit, stampInvocation } from './event.ts';

const fields = (value: unknown, origin: EventOrigin = 'outside') => {
  const checked = checkEvent(value, origin);
  return checked.ok ? [] : checked.problems.map(({ field }) => field);
};
const nested = (depth: number): unknown => JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`);

describe('[PRV-1] a value that is no event gets every problem at once', () => {
  test.each<[string, unknown, string[]]>([
    ['nothing', undefined, ['(body)']],
    ['null', null, ['(body)']],
    ['a list', [eventOf()], ['(body)']],
    ['words', 'price too high', ['(body)']],
    ['an empty object', {}, ['pap_version', 'id', 'type', 'source', 'time', 'data']],
    [
      'wrong in every field',
      { pap_version: 0.2, id: 7, type: 'energy', source: '', time: 'today', data: [] },
      ['pap_version', 'id', 'type', 'source', 'time', 'data'],
    ],
    ['another version', eventOf({}, { pap_version: '0.3' as never }), ['pap_version']],
    ['a type of two segments', eventOf({}, { type: 'energy.price' }), ['type']],
    ['an empty segment', eventOf({}, { type: 'energy..exceeded' }), ['type']],
    ['a dot at the end', eventOf({}, { type: 'energy.price.exceeded.' }), ['type']],
    ['a blank in the type', eventOf({}, { type: 'energy.price.too high' }), ['type']],
    ['an id without end', eventOf({}, { id: 'x'.repeat(257) }), ['id']],
    ['an id of two lines', eventOf({}, { id: 'a\nb' }), ['id']],
    ['an id that is half a character', eventOf({}, { id: 'a\uD800' }), ['id']],
    ['a time without its zone', eventOf({}, { time: '2026-03-11T06:00:00' }), ['time']],
    ['a day that is none', eventOf({}, { time: '2026-02-30T06:00:00Z' }), ['time']],
    ['a number as time', eventOf({}, { time: 1_773_208_800 as never }), ['time']],
    ['no data', eventOf(null as never), ['data']],
    ['a number that JSON cannot hold', eventOf({ price: JSON.parse('1e999') as number }), ['data.price']],
    [
      'the name that is no name',
      JSON.parse('{"pap_version":"0.2","data":{"a":{"__proto__":{"admin":true}}}}'),
      ['data.a.__proto__', 'id', 'type', 'source', 'time'],
    ],
    ['data deeper than anybody looks', eventOf({ deep: nested(100_000) }), [expect.stringMatching(/^data\.deep\.0/) as never]],
  ])('%s', (_, value, expected) => {
    expect(fields(value)).toEqual(expected);
  });

  test('missing fields and wrong ones have different problems', () => {
    const checked = checkEvent({ ...eventOf(), time: undefined, type: 'x' }, 'outside');
    expect(!checked.ok && checked.problems).toEqual([
      { field: 'type', message: 'must be three or more segments with dots between, as in domain.object.condition' },
      { field: 'time', message: 'must be a time as in 2026-03-11T06:00:00Z, with its zone' },
    ]);
  });
});

describe('[PRV-1] events', () => {
  test.each<[string, object]>([
    ['as published', {}],
    ['a type of more segments', { type: 'no.energy.price.spot.exceeded' }],
    ['a type in another script', { type: 'энергия.цена.превышена' }],
    ['a time with an offset', { time: '2026-03-11T07:00:00+01:00' }],
    ['a time to the nanosecond', { time: '2026-03-11T06:00:00.123456789Z' }],
    ['no data in the data', { data: {} }],
    ['names that objects have anyway', { data: { constructor: 1, toString: null } }],
  ])('%s', (_, more) => {
    expect(checkEvent({ ...eventOf({ price: 4.82 }), ...more }, 'outside')).toMatchObject({ ok: true, warnings: [] });
  });

  test('[PRV-1] the eight published ones; the one that only says “changed” warns', () => {
    const warned = seedEvents.filter((event) => {
      const checked = checkEvent(event, 'outside');
      if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
      return checked.warnings.length > 0;
    });
    expect([seedEvents.length, warned.map(({ type }) => type)]).toEqual([8, ['competitor.pricing.changed']]);
  });

  test('[PRV-1] unknown keys at the top are kept', () => {
    const checked = checkEvent({ ...eventOf(), subject: 'NO1', extra: { deep: [1] } }, 'outside');
    expect(checked.ok && checked.event).toMatchObject({ subject: 'NO1', extra: { deep: [1] } });
  });

  test.each(['stock.price.changed', 'server.latency.updated', 'article.age.incremented'])('[PRV-1] %s warns and is taken', (type) => {
    expect(checkEvent(eventOf({}, { type }), 'outside')).toMatchObject({ ok: true, warnings: [{ field: 'type' }] });
  });
});

describe('[PRV-2] the system’s types', () => {
  test.each(['pap.agent.invocation.completed', 'pap.x.y'])('%s comes from the system only', (type) => {
    expect(fields(eventOf({}, { type }), 'outside')).toEqual(['type']);
    expect(fields(eventOf({}, { type }), 'agent')).toEqual(['type']);
    expect(fields(eventOf({}, { type }), 'system')).toEqual([]);
  });

  test.each(['papaya.price.exceeded', 'PAP.agent.failed', 'my.pap.event'])('%s is anybody’s', (type) => {
    expect(fields(eventOf({}, { type }))).toEqual([]);
  });

  test('[PRV-2] that, too, is named with the rest', () => {
    expect(fields({ ...eventOf(), type: 'pap.a.b', id: '' })).toEqual(['id', 'type']);
  });
});

describe('[PRV-8] the system’s ids', () => {
  test.each([
    'schedule:nightly:2026-03-11T02:30:00.000Z',
    'absence:hosts:2026-03-11T02:30:00.000Z',
    'inv_01ABC:failed',
    'inv_01ABC:completed',
  ])('%s is given by the system only', (id) => {
    expect(fields(eventOf({}, { id }), 'outside')).toEqual(['id']);
    expect(fields(eventOf({}, { id }), 'agent')).toEqual(['id']);
    expect(fields(eventOf({}, { id }), 'webhook')).toEqual(['id']);
    expect(fields(eventOf({}, { id }), 'system')).toEqual([]);
  });

  test.each(['alertmanager:f1:2026-03-11T06:00:00Z:resolved', 'grafana:f1:2026-03-11T06:00:00Z:firing'])(
    '[PRV-18] %s is given where alerts come in',
    (id) => {
      expect(fields(eventOf({}, { id }), 'outside')).toEqual(['id']);
      expect(fields(eventOf({}, { id }), 'agent')).toEqual(['id']);
      expect(fields(eventOf({}, { id }), 'webhook')).toEqual([]);
      // Of what is on record, which is tried again.
      expect(fields(eventOf({}, { id }), 'system')).toEqual([]);
    },
  );

  test.each(['alertmanager', 'grafana-7', 'schedule', 'my-schedule:1', 'Absence:x', 'inv_1', 'inv_1:failed:2'])('%s is anybody’s', (id) => {
    expect(fields(eventOf({}, { id }))).toEqual([]);
  });
});

test('[PRV-9] the platform replaces the triggered_by that an agent writes', () => {
  expect(stampInvocation(eventOf({}, { triggered_by: 'inv_forged' }), 'inv_1').triggered_by).toBe('inv_1');
  expect(stampInvocation(eventOf(), 'inv_1').triggered_by).toBe('inv_1');
  // Decided again it is the same one, of which is known what was asked about it; in another invocation it is another.
  const one = eventOf();
  expect(stampInvocation(one, 'inv_1')).toBe(stampInvocation(one, 'inv_1'));
  expect(stampInvocation(one, 'inv_2').triggered_by).toBe('inv_2');
  expect(one).not.toHaveProperty('triggered_by');
});

describe('[PRV-2] the types that a source may emit', () => {
  test.each<[string, string[], string, boolean]>([
    ['nothing was allowed', [], 'energy.price.exceeded', false],
    ['the very type', ['energy.price.exceeded'], 'energy.price.exceeded', true],
    ['another', ['energy.price.exceeded'], 'energy.price.dropped', false],
    ['all of a domain', ['energy.*'], 'energy.price.exceeded', true],
    ['all of an object', ['energy.price.*'], 'energy.price.exceeded', true],
    ['a domain that begins the same', ['energy.*'], 'energyx.price.exceeded', false],
    ['a domain further down', ['energy.*'], 'no.energy.price', false],
    ['the domain itself is no event of it', ['energy.price.exceeded.*'], 'energy.price.exceeded', false],
    ['another case', ['Energy.*'], 'energy.price.exceeded', false],
    ['everything', ['*'], 'energy.price.exceeded', true],
    ['everything, but not what the system says', ['*', 'pap.*'], 'pap.agent.invocation.completed', false],
    ['a star in the middle is no star', ['energy.*.exceeded'], 'energy.price.exceeded', false],
  ])('%s', (_, allowed, type, expected) => {
    expect(mayEmit(allowed, type)).toBe(expected);
  });
});
