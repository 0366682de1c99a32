import { cloudEventForm, fromBatch, fromBinary, fromCloudEvent } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { checkEvent } from './event.ts';

const now = Date.UTC(2026, 2, 11, 6);
const cloud = {
  specversion: '1.0',
  id: 'evt_1',
  type: 'energy.price.exceeded',
  source: '/meters/1',
  time: '2026-03-11T05:00:00Z',
  data: { price: 4 },
};
const event = {
  pap_version: '0.2',
  id: 'evt_1',
  type: 'energy.price.exceeded',
  source: '/meters/1',
  time: '2026-03-11T05:00:00Z',
  data: { price: 4 },
};

const taken = ({ event, problems }: ReturnType<typeof fromCloudEvent>) => checkEvent(event, 'outside', problems);
const fields = (mapped: ReturnType<typeof fromCloudEvent>) => {
  const checked = taken(mapped);
  return checked.ok ? [] : checked.problems.map(({ field }) => field);
};

describe('[PRV-3] which form it has', () => {
  test.each([
    ['structured', { 'content-type': 'application/cloudevents+json; charset=utf-8' }, 'structured'],
    ['batched', { 'content-type': 'application/cloudevents-batch+json' }, 'batched'],
    ['binary', { 'content-type': 'application/json', 'ce-specversion': '1.0' }, 'binary'],
    ['the content type goes first', { 'content-type': 'application/cloudevents+json', 'ce-specversion': '1.0' }, 'structured'],
    ['none of them', { 'content-type': 'application/json' }, null],
    ['nothing at all', {}, null],
  ] as const)('%s', (_, headers, form) => {
    expect(cloudEventForm(headers)).toBe(form);
  });
});

describe('[PRV-3] times of RFC 3339', () => {
  test.each([
    ['2026-03-11t05:00:00z', '2026-03-11T05:00:00Z'],
    ['2026-03-11t05:00:00.25+01:00', '2026-03-11T05:00:00.25+01:00'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59Z'],
    ['2017-01-01T05:29:60.5+05:30', '2017-01-01T05:29:59.5+05:30'],
  ])('%s', (time, kept) => {
    expect(taken(fromCloudEvent({ ...cloud, time }, now))).toMatchObject({ ok: true, event: { time: kept } });
  });
  test.each(['2026-03-11T05:10:60Z', '2026-03-11T05:10:61Z', '2026-03-11 05:00:00Z', '2026-02-30T05:00:00Z', '2026-13-31t23:59:60z', 5])(
    'none: %s',
    (time) => {
      expect(fields(fromCloudEvent({ ...cloud, time }, now))).toEqual(['time']);
    },
  );
});

describe('[PRV-3] refusals name every problem at once', () => {
  test.each<[string, unknown, string[]]>([
    ['no object', [], ['(body)']],
    ['no version', { ...cloud, specversion: undefined }, ['specversion']],
    ['the version before', { ...cloud, specversion: '0.3' }, ['specversion']],
    ['no id and no type', { specversion: '1.0', source: '/x' }, ['id', 'type']],
    ['data that is a text', { ...cloud, data: 'hot' }, ['data']],
    ['data that is a list', { ...cloud, data: [1] }, ['data']],
    ['binary data', { ...cloud, data: undefined, data_base64: 'AAEC', datacontenttype: 'image/png' }, ['datacontenttype']],
    ['packed data that is no JSON', { ...cloud, data: undefined, data_base64: btoa('{') }, ['data_base64']],
    ['packed data that is not packed', { ...cloud, data: undefined, data_base64: '???' }, ['data_base64']],
    ['packed half a character', { ...cloud, data: undefined, data_base64: btoa('{"a":"x\\ud800"}') }, ['data_base64']],
    ['packed half a character as a name', { ...cloud, data: undefined, data_base64: btoa('{"a\\uDC00":1}') }, ['data_base64']],
    ['data twice', { ...cloud, data_base64: btoa('{}') }, ['data_base64']],
    ['a claim to an invocation', { ...cloud, triggered_by: 'inv_1' }, ['triggered_by']],
    ['a type of the system’s', { ...cloud, type: 'pap.agent.invocation.completed' }, ['type']],
    [
      'the name that is no name',
      JSON.parse(`{"specversion":"1.0","id":"a","type":"a.b.c","source":"s","__proto__":{"x":1}}`),
      ['__proto__'],
    ],
  ])('%s', (_, value, expected) => {
    expect(fields(fromCloudEvent(value, now))).toEqual(expected);
  });

  test.each<[string, Record<string, string | string[]>, string[]]>([
    ['a header twice', { 'ce-specversion': '1.0', 'ce-id': ['a', 'b'], 'ce-type': 'a.b.c', 'ce-source': 's' }, ['ce-id', 'id']],
    [
      'an attribute with a dash',
      { 'ce-specversion': '1.0', 'ce-id': 'a', 'ce-type': 'a.b.c', 'ce-source': 's', 'ce-my-x': '1' },
      ['ce-my-x'],
    ],
    ['the data in a header', { 'ce-specversion': '1.0', 'ce-id': 'a', 'ce-type': 'a.b.c', 'ce-source': 's', 'ce-data': '{}' }, ['ce-data']],
    [
      'a body that is no JSON',
      { 'ce-specversion': '1.0', 'ce-id': 'a', 'ce-type': 'a.b.c', 'ce-source': 's', 'content-type': 'text/plain' },
      ['content-type'],
    ],
  ])('binary: %s', (_, headers, expected) => {
    expect(fields(fromBinary(headers, {}, now))).toEqual(expected);
  });
});

describe('[PRV-3] the same event in every form', () => {
  const binary = {
    'ce-specversion': '1.0',
    'ce-id': 'evt_1',
    'ce-type': 'energy.price.exceeded',
    'ce-source': '/meters/1',
    'ce-time': '2026-03-11T05:00:00Z',
  };

  test('structured, binary, batched and packed', () => {
    const packed = { ...cloud, data: undefined, data_base64: btoa('{"price":4}') };
    const all = [fromCloudEvent(cloud, now), fromBinary(binary, { price: 4 }, now), ...fromBatch([cloud, packed], now)!];
    for (const one of all) expect(taken(one)).toEqual({ ok: true, event, warnings: [] });
  });

  test('[PRV-3] a batch is taken one by one; what is no list is no batch', () => {
    expect(fromBatch([cloud, { specversion: '1.0' }], now)!.map((one) => taken(one).ok)).toEqual([true, false]);
    expect(fromBatch([], now)).toEqual([]);
    expect(fromBatch(cloud, now)).toBeNull();
  });

  test('[PRV-3] other attributes are kept, and headers are decoded', () => {
    expect(fromCloudEvent({ ...cloud, subject: 'NO1', traceparent: '00-1' }, now).event).toMatchObject({
      subject: 'NO1',
      traceparent: '00-1',
    });
    const { event } = fromBinary(
      { ...binary, 'ce-subject': 'Euro%20%E2%82%AC', 'ce-other': '100%', 'content-type': 'application/json' },
      {},
      now,
    );
    expect(event).toMatchObject({ subject: 'Euro €', other: '100%', datacontenttype: 'application/json' });
  });

  test('[PRV-3] without a time it is that of its arrival, without data it has none', () => {
    const { time: _time, data: _data, ...bare } = cloud;
    expect(taken(fromCloudEvent(bare, now))).toMatchObject({ ok: true, event: { time: '2026-03-11T06:00:00.000Z', data: {} } });
  });
});
