import { addresses, directory } from '@parley/core';
import { expect, test } from 'vitest';
import { clip, parseInline, parseText } from './text.ts';

const text = (text: string) => ({ type: 'text', text });
const link = (url: string) => ({ type: 'link', url });
const code = (text: string) => ({ type: 'code', text });

test.each([
  ['plain', [text('plain')]],
  ['see https://a.example/x.', [text('see '), link('https://a.example/x'), text('.')]],
  ['(http://a.example/b_(c))', [text('('), link('http://a.example/b_(c)'), text(')')]],
  ['`https://a.example` is code', [code('https://a.example'), text(' is code')]],
  ['javascript:alert(1) and data:text/html,x', [text('javascript:alert(1) and data:text/html,x')]],
  ['https:// alone', [text('https:// alone')]],
  ['<img src=x onerror=alert(1)>', [text('<img src=x onerror=alert(1)>')]],
  ['https://a.example/"onclick="x', [link('https://a.example/'), text('"onclick="x')]],
  ['a ` b ` c', [text('a '), code(' b '), text(' c')]],
  ['**not bold** _not_', [text('**not bold** _not_')]],
])('%s', (body, expected) => {
  expect(parseInline(body)).toEqual(expected);
});

test('fenced blocks keep their lines; text around them loses only blank edges', () => {
  expect(parseText('a\n\n```ts\nlet x;\n\n  y\n```\n\nb')).toEqual([
    { type: 'text', inlines: [text('a')] },
    { type: 'code', text: 'let x;\n\n  y' },
    { type: 'text', inlines: [text('b')] },
  ]);
});

test('an unclosed fence is code to the end; three ticks inside a line are not a fence', () => {
  expect(parseText('```\nx')).toEqual([{ type: 'code', text: 'x' }]);
  expect(parseText('```x```')).toEqual([{ type: 'text', inlines: [text('``'), code('x'), text('``')] }]);
});

test('hostile lengths are read in linear time', () => {
  const started = performance.now();
  for (const body of ['`'.repeat(100_000), 'https://'.repeat(12_500), `https://a.example/${'('.repeat(99_000)}`, ')'.repeat(100_000)])
    parseText(body);
  expect(performance.now() - started).toBeLessThan(500);
});

test('only a long message is clipped', () => {
  expect(clip('short')).toBeNull();
  expect(clip('x\n'.repeat(50))?.split('\n')).toHaveLength(40);
  expect(clip('x'.repeat(5_000))).toHaveLength(3_000);
});

test('[PAP-18] addresses are marked where they stand, and never in code, quotes or links', () => {
  const known = directory([
    { handle: 'ORAC', kind: 'agent' },
    { handle: 'ben', kind: 'human' },
  ]);
  const marked = (body: string) =>
    parseText(body, addresses(body, known)).flatMap((block) =>
      block.type === 'text' ? block.inlines.map((inline) => (inline.type === 'address' ? `[${inline.text}]` : inline.type)) : ['block'],
    );
  expect(marked('\n\n  \nhi ^orac, see https://a.example/@ben and `^ORAC`\n\n```\n^ORAC\n```\n\n@ben: look')).toEqual([
    'text',
    '[^orac]',
    'text',
    'link',
    'text',
    'code',
    'block',
    '[@ben]',
    'text',
  ]);
  expect(marked('> ^ORAC said\n^ORAC')).toEqual(['text', '[^ORAC]']);
  expect(marked('^ORCA and 2^ORAC')).toEqual(['[^ORCA]', 'text']);
});
