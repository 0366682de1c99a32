import { describe, expect, test } from 'vitest';
import { eventOf } from '../../../test/provoke/sample.ts';
import { jsonPath, parsePath } from './event-path.ts';

describe('[PRV-5] a path names one place, or is refused at load', () => {
  test.each([
    ['nothing', ''],
    ['no root', 'data.region'],
    ['the place that a filter is at', '@.data.region'],
    ['a wildcard', '$.data.*'],
    ['a descent', '$..region'],
    ['a slice', '$.data.list[0:2]'],
    ['two selectors', "$.data['a','b']"],
    ['a filter', '$.data.list[?@.a == 1]'],
    ['a filter with a function', "$.data.list[?match(@.a, '(a+)+$')]"],
    ['a function that does not exist', '$.data[?system(@.a)]'],
    ['code', '$.data[(@.length-1)]'],
    ['code of another language', '$.data[?(process.exit(1))]'],
    ['blanks around it', ' $.data.region '],
    ['an index too large to be one', '$.data[99999999999999999999]'],
    ['brackets within brackets', `$${'['.repeat(400)}`],
    ['filters within filters', `$${'[?@'.repeat(120)}`],
    ['one that is too long', `$.data.${'a'.repeat(500)}`],
  ])('%s', (_, text) => {
    expect(parsePath(text)).toEqual({ ok: false, message: expect.any(String) });
  });

  test.each<[string, string, unknown]>([
    ['a field of the data', '$.data.region', 'NO1'],
    ['in brackets', "$['data']['region']", 'NO1'],
    ['an index', '$.data.list[1]', 'b'],
    ['an index from the end', '$.data.list[-1]', 'c'],
    ['an index past the end', '$.data.list[3]', undefined],
    ['a name in a list', '$.data.list.length', undefined],
    ['an index in an object', '$.data[0]', undefined],
    ['a sign of a string', '$.data.region[0]', undefined],
    ['null is absent', '$.data.nothing', undefined],
    ['a field below null', '$.data.nothing.more', undefined],
    ['false is there', '$.data.off', false],
    ['zero is there', '$.data.zero', 0],
    ['a key at the top', '$.source', 'monitoring.energy-price-tracker'],
    ['a key nobody knows', '$.subject', 'x'],
    ['what objects inherit', '$.data.constructor', undefined],
    ['the same, further down', '$.data.deep.toString.name', undefined],
    ['a prototype', "$.data['__proto__'].polluted", undefined],
    ['a field of that name', '$.data.deep.valueOf', 'own'],
    ['a name that is not plain', "$.data['a b.c']", 7],
  ])('%s', (_, text, expected) => {
    const data = { region: 'NO1', list: ['a', 'b', 'c'], nothing: null, off: false, zero: 0, deep: { valueOf: 'own' }, 'a b.c': 7 };
    const parsed = parsePath(text);
    expect(parsed.ok && parsed.path.read(eventOf(data, { subject: 'x' }))).toBe(expected);
  });

  test('the same place has the same text, however it is written', () => {
    const texts = ['$.data.region', "$['data']['region']", '$["data"].region'].map((text) => parsePath(text));
    expect(new Set(texts.map((parsed) => parsed.ok && parsed.path.text)).size).toBe(1);
  });
});

describe('[PRV-6] the functions of JSONPath that take a pattern', () => {
  const select = (query: string, value: string) => jsonPath.query(query, [value]).values();

  test('take no more than linear time', () => {
    expect(select("$[?match(@, '(a+)+b')]", 'a'.repeat(20_000))).toEqual([]);
    expect(select("$[?search(@, '(a|a)*c')]", 'a'.repeat(20_000))).toEqual([]);
  });

  test.each([
    ['match() takes the whole text', "$[?match(@, 'b.')]", 'abc', []],
    ['search() any part of it', "$[?search(@, 'b.')]", 'abc', ['abc']],
    ['a choice is taken whole', "$[?match(@, 'a|b')]", 'ab', []],
    ['what is not RE2 matches nothing', "$[?search(@, '(?=a)')]", 'abc', []],
  ])('%s', (_, query, value, expected) => {
    expect(select(query, value)).toEqual(expected);
  });
});
