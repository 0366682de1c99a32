import { readFileSync } from 'node:fs';
import type { Filter } from '@parley/protocol';
import { Filter as FilterSchema } from '@parley/protocol';
import { describe, expect, test } from 'vitest';
import { eventOf, on, patterns } from '../../../test/provoke/sample.ts';
import { run, listOf } from './filter-operators.ts';
import { compileDocument } from '../files/document.ts';
import { compileFilters } from './trigger.ts';

const region = '$.data.region';
const price = '$.data.price';

function holds(filter: Filter, data: Record<string, unknown>): boolean {
  const compiled = compileFilters([FilterSchema.parse(filter)], patterns, 'filter', '');
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  const found: string[] = [];
  run(
    listOf(['it'], () => compiled.value.map(({ check }) => check)),
    eventOf(data),
    patterns,
    { found },
  );
  return found.length > 0;
}

describe('[PRV-5] filters that are refused at load', () => {
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
    const compiled = compileFilters(
      [on('$..a', 'eq', 1), on(price, 'gt', 1), on('data', 'regex', '(')],
      patterns,
      'trigger.match.filter',
      '',
    );
    expect(!compiled.ok && compiled.problems.map(({ field }) => field)).toEqual([
      'trigger.match.filter.0.path',
      'trigger.match.filter.2.path',
      'trigger.match.filter.2.value',
    ]);
  });
});

interface Vectors {
  cases: { title: string; filter: Filter; data: Record<string, unknown>; holds: boolean }[];
  refused: { title: string; filter: Filter; field: string }[];
}
const vectors = JSON.parse(readFileSync(new URL('../../../../../spec/vectors/filters.json', import.meta.url), 'utf8')) as Vectors;

describe('[PRV-5] the published cases', () => {
  test.each(vectors.cases.map((one) => [one.title, one] as const))('%s', (_, { filter, data, holds: expected }) => {
    expect(holds(filter, data)).toBe(expected);
  });

  test.each(vectors.refused.map((one) => [one.title, one] as const))('[PRV-5] [PRV-6] refused at load: %s', (_, { filter, field }) => {
    const trigger = { id: 'a', agent: 'b', match: { type: 'a.b.c', filter: [filter] } };
    const whole = compileDocument({ pap_version: '0.2', trigger }, patterns);
    expect(!whole.ok && whole.problems.map((problem) => problem.field.split('.')[4])).toEqual([field]);
  });
});
