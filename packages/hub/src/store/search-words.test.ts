import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsOf } from './search-words.ts';

test.each<[string, string[]]>([
  ['Hello, hello WORLD!', ['hello', 'world']],
  ['Ünïcödé Straße', ['unicode', 'straße']],
  ['foo-bar foo_bar a.b@c.d', ['foo', 'bar', 'a', 'b', 'c', 'd']],
  ['v2.1 42', ['v2', '1', '42']],
  ['東京tower', ['東', '京', 'tower']],
  ['한국어', ['한', '국', '어']],
  ['👍 🎉', []],
  // Parts of signs are symbols, which one of the engines would not index.
  ['⺮⺀ 竹', ['竹']],
  ['', []],
])('[SYS-14] %s', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

test('[SYS-14] a word holds nothing a query language could trip over', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const word of wordsOf(text)) expect(word).toMatch(/^[\p{L}\p{N}]{1,64}$/u);
    }),
    { examples: [['⺀'], ['𖿢'], [`a${'𐐨'.repeat(40)}`]] },
  );
});
