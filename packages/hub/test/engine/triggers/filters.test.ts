// Filters as a hub applies them to events that came in: every operator with a value that holds and ones that do not.

import { onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { event, provokingFor } from '../../kit/provoke.ts';

const cases: [operator: string, value: unknown, holds: unknown[], fails: unknown[]][] = [
  ['eq', 1, [1, 1.0], ['1', true, 2, null, undefined]],
  ['ne', 1, [2, '1', null, undefined], [1]],
  ['lt', 3, [2.9, -1], [3, '2', null, undefined]],
  ['lte', 3, [3], [3.1, '3', [1]]],
  ['gt', 3, [3.1], [3, '4', true, undefined]],
  ['gte', 3, [3], [2, '3', undefined]],
  ['in', ['a', 1], ['a', 1], ['1', 'b', null, undefined]],
  ['not_in', ['a', 1], ['b', '1', null, undefined], ['a', 1]],
  ['contains', 'ell', ['hello'], ['help', ['ell'], 1, undefined]],
  ['exists', true, [0, false, ''], [null, undefined]],
  ['exists', false, [null, undefined], [0]],
  ['regex', '^no[0-9]$', ['no1'], ['NO1', 'xno1', 1, undefined]],
];

onBothEngines('filters', (engine) => {
  const world = provokingFor(engine);
  const by = { operator: true } as const;

  test('[PRV-5] each operator, with no coercion, and null as absent', async () => {
    const { engine: commands } = world.kit.hub.kernel;
    for (const [i, [operator, value]] of cases.entries())
      await world.trigger(`f${i}`, `a.filter.f${i}`, {
        match: { type: `a.filter.f${i}`, filter: [{ path: "$.data['a b'][0]", operator, value }] },
      });
    for (const [i, [operator, value, holds, fails]] of cases.entries()) {
      const reasonOf = async (found: unknown) => {
        const data = found === undefined ? {} : { 'a b': [found] };
        return (await commands.submit({ type: 'event.accept', by, event: event({ type: `a.filter.f${i}`, data }) })).triggers[0]!.reason;
      };
      const said = `${operator} ${JSON.stringify(value)}`;
      expect(await Promise.all(holds.map(reasonOf)), said).toEqual(holds.map(() => null));
      expect(await Promise.all(fails.map(reasonOf)), said).toEqual(fails.map(() => 'filter'));
    }
  });

  test('[PRV-5] all have to hold, the type is exact, and a path that is not singular is refused at load', async () => {
    const filter = [
      { path: '$.data.a', operator: 'gt', value: 1 },
      { path: '$.source', operator: 'eq', value: 'monitoring.test' },
    ];
    await world.trigger('both', 'a.both.held', { match: { type: 'a.both.held', filter } });
    expect((await world.emit({ type: 'a.both.held', data: { a: 2 } })).triggers[0]!.reason).toBe(null);
    expect((await world.emit({ type: 'a.both.held', data: { a: 2 }, source: 'x' })).triggers[0]!.reason).toBe('filter');
    expect((await world.emit({ type: 'a.both.held2', data: { a: 2 } })).triggers).toEqual([]);
    for (const path of ['$.data.*', '$..a', '$.data[0:2]', '$.data[?@.a]', 'data.a', '$.data.constructor.constructor("x")()'])
      expect(await refused({ path, operator: 'exists' })).toEqual(['object.match.filter.0.path']);
  });

  test('[PRV-6] a pattern is RE2’s, in time that does not run away; one it refuses is refused at load', async () => {
    for (const value of ['(', '(?=a)', '(a)\\1', '(?<!a)b', 'a{1001}'])
      expect(await refused({ path: '$.data.a', operator: 'regex', value })).toEqual(['object.match.filter.0.value']);
    await world.trigger('evil', 'a.slow.one', {
      match: { type: 'a.slow.one', filter: [{ path: '$.data.a', operator: 'regex', value: '^(a+)+$' }] },
    });
    const sent = await world.emit({ type: 'a.slow.one', data: { a: `${'a'.repeat(100_000)}!` } });
    expect(sent.triggers[0]!.reason).toBe('filter');
  });

  test('[PRV-6] a regex that RE2 accepts is accepted, and matches a text of any length', async () => {
    const patterns = ['^.{1,26}$', 'error.{0,24}timeout', 'a{51}', '(a|b)*a(a|b){47}d', '(a|b)*a(a|b){400}[^ab]'];
    const type = 'a.any.length';
    const regex = (value: string) => [{ path: '$.data.a', operator: 'regex', value }];
    for (const [i, value] of patterns.entries()) await world.trigger(`any-${i}`, type, { match: { type, filter: regex(value) } });
    const reasons = async (a: string) =>
      (await world.emit({ type, data: { a } })).triggers
        .toSorted((x, y) => (x.triggerId < y.triggerId ? -1 : 1))
        .map(({ reason }) => reason);
    expect(await reasons('error: after 30 s: timeout')).toEqual([null, null, 'filter', 'filter', 'filter']);
    expect(await reasons('a'.repeat(51))).toEqual(['filter', 'filter', null, 'filter', 'filter']);
    await world.trigger('long', 'a.long.text', { match: { type: 'a.long.text', filter: regex('x$') } });
    expect((await world.emit({ type: 'a.long.text', data: { a: 'x'.repeat(200_000) } })).triggers).toMatchObject([{ reason: null }]);
  });

  async function refused(filter: object): Promise<string[]> {
    const object = { id: 'bad', agent: 'calm', match: { type: 'a.b.c', filter: [filter] } };
    const { body } = await world.owner.ask('putProvoke', { params: { kind: 'trigger', id: 'bad' }, body: { version: 0, object } });
    return body.error?.problems?.map(({ field }) => field) ?? [];
  }
});
