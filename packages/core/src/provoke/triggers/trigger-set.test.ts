import type { Filter } from '@parley/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compiledOf, eventOf, on, patterns } from '../../../test/provoke/sample.ts';
import { type IndexBranch, branchOf } from './trigger-index.ts';
import { parsePath } from './event-path.ts';
import { triggerSet } from './trigger-set.ts';

const set = (...filters: Filter[][]) => triggerSet(filters.map((filter, i) => compiledOf({ id: `t${i}` }, filter)));
const ids = (found: ReturnType<ReturnType<typeof set>['matching']>) => found.map(({ trigger }) => trigger.id);

describe('which triggers an event matches', () => {
  test('[PRV-5] the type is compared exactly', () => {
    const all = triggerSet([compiledOf({ match: { type: 'a.b.c' } })]);
    expect(['a.b.c', 'A.b.c', 'a.b.c.d', 'a.b', 'a.b.c '].map((type) => all.matching(eventOf({}, { type }), patterns).length)).toEqual([
      1, 0, 0, 0, 0,
    ]);
    expect([all.knows('a.b.c'), all.knows('a.b.d')]).toEqual([true, false]);
  });

  test('[PRV-5] [PRV-6] the steps of a path are counted before it is walked; a field of the data is no walk', () => {
    const walked: number[] = [];
    const counting = { ...patterns, walk: (steps: number) => void walked.push(steps) };
    const deep = `$.data${'.a'.repeat(200)}`;
    const found = set([on('$.data.a', 'ne', 1), on('$.data.a.b', 'ne', 1), on(deep, 'ne', 1)]).matching(eventOf({}), counting);
    expect([ids(found), walked]).toEqual([['t0'], [3, 201]]);
  });

  test('[PRV-4] a type is put together when its first event comes, and again only when its own triggers have changed', () => {
    let reads = 0;
    const counting = (id: string, type: string) => {
      const made = compiledOf({ id, match: { type, filter: [on('$.data.a', 'eq', id)] } });
      return Object.defineProperty({ ...made }, 'access', { get: () => (reads++, made.access), enumerable: true });
    };
    const ones = Array.from({ length: 9 }, (_, i) => counting(`one-${i}`, 'a.b.one'));
    const twos = Array.from({ length: 9 }, (_, i) => counting(`two-${i}`, 'a.b.two'));
    const readBy = (work: () => void): number => {
      const before = reads;
      work();
      return reads - before;
    };
    const found = (in_: typeof first, type: string, a: string) => ids(in_.matching(eventOf({ a }, { type }), patterns));
    const first = triggerSet([...ones, ...twos]);
    expect(reads).toBe(0);
    expect(readBy(() => expect(found(first, 'a.b.one', 'one-3')).toEqual(['one-3']))).toBe(ones.length);
    expect(readBy(() => expect(found(first, 'a.b.one', 'one-4')).toEqual(['one-4']))).toBe(0);
    expect(readBy(() => found(first, 'a.b.two', ''))).toBe(twos.length);
    // One more of the second type: the first is as it was.
    const second = triggerSet([counting('new', 'a.b.two'), ...ones, ...twos], first);
    expect(readBy(() => expect(found(second, 'a.b.one', 'one-3')).toEqual(['one-3']))).toBe(0);
    expect(readBy(() => expect(found(second, 'a.b.two', 'new')).toEqual(['new']))).toBe(twos.length + 1);
    expect(readBy(() => expect(found(triggerSet(ones.slice(1), second), 'a.b.one', 'one-0')).toEqual([]))).toBe(ones.length - 1);
    expect(triggerSet(ones, second).knows('a.b.two')).toBe(false);
  });

  test('[PRV-4] one that is switched off is not asked, but is there', () => {
    const off = triggerSet([compiledOf({ enabled: false })]);
    expect(off.matching(eventOf(), patterns)).toEqual([]);
    expect(off.get('planner')?.trigger.enabled).toBe(false);
  });

  test('[PRV-5] all filters have to hold, and without any all events do', () => {
    const all = set(
      [],
      [on('$.data.price', 'gt', 3), on('$.data.region', 'eq', 'NO1')],
      [on('$.data.price', 'gt', 3), on('$.data.region', 'eq', 'NO2')],
    );
    expect(ids(all.matching(eventOf({ price: 4.82, region: 'NO1' }), patterns))).toEqual(['t0', 't1']);
  });

  test('[PRV-5] two equalities on one place both have to hold', () => {
    const both = Array.from({ length: 9 }, (_, i) => [on('$.data.a', 'eq', i), on('$.data.a', 'in', [i + 1, i + 2])]);
    expect(ids(set(...both, [on('$.data.a', 'in', [3, 4]), on('$.data.a', 'in', [4, 5])]).matching(eventOf({ a: 4 }), patterns))).toEqual([
      't9',
    ]);
  });

  test('[PRV-5] a range that ends before it begins holds nothing', () => {
    const never = Array.from({ length: 9 }, (_, i) => [on('$.data.a', 'gt', i + 1), on('$.data.a', 'lt', i)]);
    for (const a of [-1, 0, 0.5, 4, 5, 10]) expect(set(...never).matching(eventOf({ a }), patterns)).toEqual([]);
  });
});

const names = ['a', 'b', 'c', 'constructor', 'list'];
const value = fc.oneof(
  fc.constantFrom<string | number | boolean>('x', 'y', '1', '', true, false),
  fc.integer({ min: -3, max: 6 }),
  fc.constantFrom(0.5, -0, 1.5),
);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...names).map((name) => `$.data.${name}`) },
  { weight: 1, arbitrary: fc.constantFrom('$.data.list[0]', '$.data.list[-1]', '$.data.a.b', '$.source', '$.data', '$') },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 30 }).map((i) => `$.data.k${i}`) },
);
const filter = fc
  .oneof(
    { weight: 4, arbitrary: fc.tuple(path, fc.constantFrom('eq', 'ne'), value) },
    { weight: 4, arbitrary: fc.tuple(path, fc.constantFrom('lt', 'lte', 'gt', 'gte'), fc.integer({ min: -3, max: 6 })) },
    { weight: 2, arbitrary: fc.tuple(path, fc.constantFrom('in', 'not_in'), fc.array(value, { minLength: 1, maxLength: 4 })) },
    { weight: 1, arbitrary: fc.tuple(path, fc.constantFrom('contains', 'regex'), fc.constantFrom('', 'x', '1')) },
    { weight: 1, arbitrary: fc.tuple(path, fc.constant('exists'), fc.boolean()) },
  )
  .map(([at, operator, value]) => on(at, operator, value));
const data = fc.dictionary(
  fc.oneof(
    fc.constantFrom(...names),
    fc.integer({ min: 0, max: 30 }).map((i) => `k${i}`),
  ),
  fc.oneof(value, fc.constant(null), fc.array(value, { maxLength: 3 }), fc.record({ b: value })),
  { maxKeys: 12 },
);

/** As the rule says it, one filter at a time, with nothing of the compiled form in it. */
function naive(filters: readonly Filter[], event: ReturnType<typeof eventOf>): boolean {
  return filters.every((one) => {
    const parsed = parsePath(one.path);
    const found = parsed.ok ? parsed.path.steps.reduce<unknown>((at, step) => {
      if (at === null || typeof at !== 'object' || Array.isArray(at) !== (typeof step === 'number')) return undefined;
      if (typeof step === 'number') return (at as unknown[])[step < 0 ? (at as unknown[]).length + step : step];
      return Object.hasOwn(at, step) ? (at as Record<string, unknown>)[step] : undefined;
    }, event) : undefined;
    const absent = found === undefined || found === null;
    switch (one.operator) {
      case 'eq': return !absent && found === one.value;
      case 'ne': return absent || found !== one.value;
      case 'lt': return typeof found === 'number' && found < one.value;
      case 'lte': return typeof found === 'number' && found <= one.value;
      case 'gt': return typeof found === 'number' && found > one.value;
      case 'gte': return typeof found === 'number' && found >= one.value;
      case 'in': return !absent && one.value.some((value) => value === found);
      case 'not_in': return absent || one.value.every((value) => value !== found);
      case 'contains': return typeof found === 'string' && found.includes(one.value);
      case 'exists': return absent !== one.value;
      case 'regex': return typeof found === 'string' && new RegExp(one.value).test(found);
    }
  });
} // prettier-ignore

describe('[PRV-5] the index finds what asking each trigger finds', () => {
  test.each([
    ['few triggers', 6],
    ['many', 120],
  ])('%s', (_, most) => {
    fc.assert(
      fc.property(
        fc.array(fc.array(filter, { maxLength: 4 }), { maxLength: most, size: 'max' }),
        fc.array(data, { minLength: 1, maxLength: 8 }),
        (triggers, events) => {
          const all = set(...triggers);
          for (const one of events) {
            const event = eventOf(one);
            const expected = triggers.flatMap((filters, i) => (naive(filters, event) ? [`t${i}`] : []));
            expect(ids(all.matching(event, patterns))).toEqual(expected);
          }
        },
      ),
      { numRuns: most > 100 ? 60 : 300 },
    );
  });

  test.each<[string, (i: number) => Filter[], Record<string, unknown>, number]>([
    ['by one value', (i) => [on('$.data.a', 'eq', i)], { a: 77 }, 1],
    ['by one range', (i) => [on('$.data.a', 'gte', i), on('$.data.a', 'lt', i + 1)], { a: 77.5 }, 1],
    ['by the second of two values', (i) => [on('$.data.a', 'eq', 1), on('$.data.b', 'eq', i)], { a: 1, b: 77 }, 1],
    [
      'by a range within a value that all share',
      (i) => [on('$.data.a', 'eq', 1), on('$.data.b', 'gt', i), on('$.data.b', 'lt', i + 1)],
      { a: 1, b: 77.5 },
      1,
    ],
    [
      'by a range beside one that all share',
      (i) => [on('$.data.a', 'gt', 1), on('$.data.b', 'gt', i), on('$.data.b', 'lt', i + 1)],
      { a: 2, b: 77.5 },
      1,
    ],
    ['by fields of which the event has one', (i) => [on(`$.data.k${i}`, 'eq', 1)], { k77: 1, other: 2 }, 1],
    ['by ranges that all overlap', (i) => [on('$.data.a', 'gt', i)], { a: 2.5 }, 3],
    ['by lists of values', (i) => [on('$.data.a', 'in', [`x${i}`, `y${i}`])], { a: 'y77' }, 1],
  ])('[PRV-5] of 3,000 triggers only those that come into question are checked: %s', (_, filters, one, expected) => {
    const checked = { count: 0 };
    const triggers = Array.from({ length: 3000 }, (_, i) => {
      // One more filter that all share, cannot be looked up, and counts how often it is asked.
      return compiledOf({ id: `t${i}` }, [...filters(i), on('$.data.probe', 'regex', 'x')]);
    });
    const found = triggerSet(triggers).matching(eventOf({ ...one, probe: 'x' }), { ...patterns, holds: () => ++checked.count > 0 });
    expect(found.length).toBe(expected);
    expect(checked.count).toBeLessThanOrEqual(expected + 8);
  });

  // Each list is shared by one fewer than the one before it, so that each of them parts the rest once more.
  test('[PRV-5] lists of values within lists of values do not multiply', () => {
    const [levels, values] = [5, Array.from({ length: 10 }, (_, i) => `v${i}`)];
    const count = levels + 5;
    const triggers = Array.from({ length: count + 1 }, (_, j) =>
      compiledOf(
        { id: `t${j}` },
        j === count
          ? []
          : Array.from({ length: levels }, (_, k) => (k > 0 && j === count - k ? [] : [on(`$.data.p${k}`, 'in', values)])).flat(),
      ),
    );
    const branch = branchOf(triggers.map((one, order) => ({ ...one, order, open: one.filters, copies: 1 })));
    expect(branchesIn(branch)).toBeLessThanOrEqual(100 * triggers.length);
    const all = triggerSet(triggers);
    const data = Object.fromEntries(Array.from({ length: levels }, (_, k) => [`p${k}`, values[k]]));
    expect(all.matching(eventOf(data), patterns)).toHaveLength(triggers.length);
    expect(ids(all.matching(eventOf({ ...data, p1: 'none' }), patterns))).toEqual([`t${count - 1}`, `t${count}`]);
  });
});

function branchesIn({ tables, beside }: IndexBranch): number {
  const all = [...tables, ...beside.flatMap(({ byName }) => [...byName.values()])];
  return all.flatMap(({ equal }) => [...(equal?.values() ?? [])]).reduce((sum, branch) => sum + branchesIn(branch), 1);
}
