import type { Filter } from '@parley/protocol';
import { Filter as FilterSchema } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { eventOf, on } from '../../test/provoke-sample.ts';
import { run, listOf } from './check.ts';
import { compileFilters } from './filter.ts';

const region = '$.data.region';
const price = '$.data.price';

function holds(filter: Filter, data: Record<string, unknown>): boolean {
  const compiled = compileFilters([FilterSchema.parse(filter)], 'filter');
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const found: string[] = [];
  run(
    listOf(['it'], () => compiled.filters.map(({ check }) => check)),
    eventOf(data),
    found,
  );
  return found.length > 0;
}

describe('[PRV-5] what is refused at load', () => {
  test.each<[string, Filter, string]>([
    ['an operator that does not exist', on(region, 'like', 'N'), 'operator'],
    ['no operator', { path: region, value: 1 } as never, 'operator'],
    ['no path', { operator: 'eq', value: 1 } as never, 'path'],
    ['no value', on(region, 'eq'), 'value'],
    ['null, which is absent', on(region, 'eq', null), 'value'],
    ['a list to be equal to', on(region, 'eq', ['NO1']), 'value'],
    ['a number in quotes', on(price, 'gt', '3'), 'value'],
    ['a number without end', on(price, 'gt', Infinity), 'value'],
    ['one value for `in`', on(region, 'in', 'NO1'), 'value'],
    ['no values for `in`', on(region, 'in', []), 'value'],
    ['null among the values', on(region, 'not_in', ['NO1', null]), 'value'],
    ['a number to be contained', on(region, 'contains', 1), 'value'],
    ['a number as a pattern', on(region, 'regex', 1), 'value'],
    ['a string for `exists`', on(region, 'exists', 'true'), 'value'],
    ['a field nobody knows', { ...on(region, 'eq', 'NO1'), negate: true } as never, 'negate'],
  ])('%s', (_, filter, field) => {
    const parsed = FilterSchema.safeParse(filter);
    const paths = parsed.error?.issues.map((issue) => (issue.code === 'unrecognized_keys' ? issue.keys[0] : issue.path[0]));
    expect(paths).toEqual([field]);
  });

  test('every path and pattern is named at once', () => {
    const compiled = compileFilters([on('$..a', 'eq', 1), on(price, 'gt', 1), on('data', 'regex', '(')], 'trigger.match.filter');
    expect(!compiled.ok && compiled.problems.map(({ field }) => field)).toEqual([
      'trigger.match.filter.0.path',
      'trigger.match.filter.2.path',
      'trigger.match.filter.2.value',
    ]);
  });
});

// prettier-ignore
const table: [Filter, unknown, boolean][] = [
  [on(region, 'eq', 'NO1'), 'NO1', true], [on(region, 'eq', 'NO1'), 'no1', false], [on(region, 'eq', '1'), 1, false], [on(region, 'eq', 1), '1', false],
  [on(region, 'eq', 0), -0, true], [on(region, 'eq', true), 1, false], [on(region, 'eq', ''), undefined, false], [on(region, 'eq', 'NO1'), ['NO1'], false],
  [on(region, 'ne', 'NO1'), 'NO2', true], [on(region, 'ne', 'NO1'), 'NO1', false], [on(region, 'ne', '1'), 1, true],
  [on(price, 'lt', 3), 2.9, true], [on(price, 'lt', 3), 3, false], [on(price, 'lt', 3), '2', false], [on(price, 'lt', 3), true, false],
  [on(price, 'lte', 3), 3, true], [on(price, 'lte', 3), 3.1, false],
  [on(price, 'gt', 3), 4.82, true], [on(price, 'gt', 3), 3, false], [on(price, 'gt', 3), '4.82', false], [on(price, 'gt', 3), [4], false],
  [on(price, 'gte', 3), 3, true], [on(price, 'gte', 3), 2.9, false], [on(price, 'gte', -1), false, false],
  [on(region, 'in', ['NO1', 'NO2']), 'NO2', true], [on(region, 'in', ['NO1', 'NO2']), 'NO3', false], [on(region, 'in', ['1']), 1, false],
  [on(region, 'not_in', ['NO1']), 'NO2', true], [on(region, 'not_in', ['NO1']), 'NO1', false], [on(region, 'not_in', ['1']), 1, true],
  [on(region, 'contains', 'O'), 'NO1', true], [on(region, 'contains', 'o'), 'NO1', false], [on(region, 'contains', '1'), ['1'], false], [on(region, 'contains', '1'), 11, false],
  [on(region, 'exists', true), 'x', true], [on(region, 'exists'), 'x', true], [on(region, 'exists'), '', true], [on(region, 'exists'), false, true], [on(region, 'exists'), 0, true],
  [on(region, 'exists', false), 'x', false],
  [on(region, 'regex', '^NO[12]$'), 'NO2', true], [on(region, 'regex', '^NO[12]$'), 'NO3', false], [on(region, 'regex', '1'), 1, false], [on(region, 'regex', ''), '', true],
];

describe('[PRV-5] what holds', () => {
  test.each(table)('%o with %o: %o', (filter, value, expected) => {
    expect(holds(filter, { region: value, price: value })).toBe(expected);
  });

  test.each([undefined, null])('[PRV-5] %s is absent: only `exists: false`, `ne` and `not_in` hold', (absent) => {
    const all = [on(region, 'eq', 'a'), on(region, 'ne', 'a'), on(region, 'lt', 1), on(region, 'lte', 1), on(region, 'gt', 1), on(region, 'gte', 1), on(region, 'in', ['a']), on(region, 'not_in', ['a']), on(region, 'contains', ''), on(region, 'exists'), on(region, 'exists', true), on(region, 'exists', false), on(region, 'regex', '')]; // prettier-ignore
    const data = absent === undefined ? {} : { region: absent };
    expect(all.filter((filter) => holds(filter, data)).map(({ operator, value }) => `${operator} ${JSON.stringify(value)}`)).toEqual([
      'ne "a"',
      'not_in ["a"]',
      'exists false',
    ]);
  });
});
