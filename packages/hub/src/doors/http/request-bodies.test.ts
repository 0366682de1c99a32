import { expect, test } from 'vitest';
import { maxNesting, parseJson } from './request-bodies.ts';

const parse = (text: string | Uint8Array) => parseJson(Buffer.from(text as string));
const code = (text: string | Uint8Array): string => {
  try {
    parse(text);
    return 'parsed';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('[SYS-11] JSON is read as it is', () => {
  expect(parse('{"a":[1,"\\"}]{[",null]}')).toEqual({ a: [1, '"}]{[', null] });
});

test.each<[string, string | Uint8Array]>([
  ['cut short', '{"a":'],
  ['not JSON', 'hello'],
  ['not UTF-8', new Uint8Array([0x22, 0xc3, 0x28, 0x22])],
  ['an overlong encoding', new Uint8Array([0x22, 0xc0, 0xaf, 0x22])],
  ['100,000 levels deep', '['.repeat(100_000)],
  ['one level too deep', '['.repeat(maxNesting + 1) + ']'.repeat(maxNesting + 1)],
  ['half a character', '{"a":["x\\ud800"]}'],
  ['half a character as a name', '{"\\uDC00":1}'],
  ['__proto__', '{"__proto__":{"admin":true}}'],
])('[SYS-11] %s is refused', (_, text) => {
  expect(code(text)).toBe('malformed_json');
});

test('[SYS-11] a whole pair of surrogates is a character', () => {
  expect(parse('{"a":"\\ud83d\\ude00"}')).toEqual({ a: '😀' });
});

test('[SYS-11] as deep as allowed, and brackets in strings do not count', () => {
  expect(code('['.repeat(maxNesting) + ']'.repeat(maxNesting))).toBe('parsed');
  expect(code(`"${'['.repeat(1000)}\\"${'{'.repeat(1000)}"`)).toBe('parsed');
});
