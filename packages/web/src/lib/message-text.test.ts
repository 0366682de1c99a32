import { addressesIn, directory } from '@parley/core';
import { describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { parseInline } from './inline-text.ts';
import type { Inline } from './inline-text.ts';
import { clip, parseText } from './message-text.ts';
import type { Block } from './message-text.ts';

const text = (text: string) => ({ type: 'text', text });
const link = (url: string, text = url, host?: string) => ({ type: 'link', url, text, host });
const strong = (...inlines: object[]) => ({ type: 'strong', inlines });
const emphasis = (...inlines: object[]) => ({ type: 'emphasis', inlines });
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
  [
    '**bold** and *slanted*, __bold__ and _slanted_',
    [
      strong(text('bold')),
      text(' and '),
      emphasis(text('slanted')),
      text(', '),
      strong(text('bold')),
      text(' and '),
      emphasis(text('slanted')),
    ],
  ],
  ['***both***', [emphasis(strong(text('both')))]],
  [
    '**bold with `code` and *more* in it**',
    [strong(text('bold with '), code('code'), text(' and '), emphasis(text('more')), text(' in it'))],
  ],
  ['snake_case_name and 2*3*4', [text('snake_case_name and 2*3*4')]],
  ['这是**重点**内容', [text('这是'), strong(text('重点')), text('内容')]],
  ['** not bold ** and * alone', [text('** not bold ** and * alone')]],
  ['**never closed and *neither', [text('**never closed and *neither')]],
  [String.raw`\*not\* \_this\_`, [text('*not* _this_')]],
  ['[a page](https://a.example/x_(y) "title") there', [link('https://a.example/x_(y)', 'a page'), text(' there')]],
  ['[write](mailto:ann@a.example)', [link('mailto:ann@a.example', 'write')]],
  ['<https://a.example|here> and <https://b.example>', [link('https://a.example', 'here'), text(' and '), link('https://b.example')]],
  [
    '[run](javascript:alert(1)) [x](data:text/html,y) [z](vbscript:q)',
    [text('[run](javascript:alert(1)) [x](data:text/html,y) [z](vbscript:q)')],
  ],
  ['[a](JaVaScRiPt:alert%281%29) [b](//c.example) [d](/e)', [text('[a](JaVaScRiPt:alert%281%29) [b](//c.example) [d](/e)')]],
  [
    '[the form](/peer/negotiations/new) and [another](/peer/negotiations/new?x) [view](/peer/sharing)',
    [
      { type: 'view', path: '/peer/negotiations/new', text: 'the form' },
      text(' and [another](/peer/negotiations/new?x) [view](/peer/sharing)'),
    ],
  ],
  ['<javascript:alert(1)>', [text('<javascript:alert(1)>')]],
  [
    '[https://bank.example](https://elsewhere.example/x)',
    [link('https://elsewhere.example/x', 'https://bank.example', 'elsewhere.example')],
  ],
  ['`` a ` b ``', [code('a ` b')]],
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
  expect(parseText('```x```')).toEqual([{ type: 'text', inlines: [code('x')] }]);
});

const words = (blocks: readonly Block[]): unknown[] =>
  blocks.map((block) => {
    if (block.type === 'code') return { code: block.text };
    if (block.type === 'quote') return { quote: words(block.blocks) };
    if (block.type === 'list')
      return {
        [block.ordered ? 'ol' : 'ul']: block.items.map((item) => [
          ...(item.number === undefined ? [] : [item.number]),
          ...words(item.blocks),
        ]),
      };
    if (block.type === 'table') return { table: block.rows.length };
    return block.inlines.map((inline) => ('text' in inline ? inline.text : '…')).join('');
  });

test.each([
  ['- a\n- b\n  more\n* c', [{ ul: [['a'], ['b\nmore'], ['c']] }]],
  [
    '3. a\n4. b\n\nafter',
    [
      {
        ol: [
          [3, 'a'],
          [4, 'b'],
        ],
      },
      'after',
    ],
  ],
  [
    '1. a\n   - b\n   - c\n2. d',
    [
      {
        ol: [
          [1, 'a', { ul: [['b'], ['c']] }],
          [2, 'd'],
        ],
      },
    ],
  ],
  ['- a\n\n  ```\n  x\n   y\n  ```\n- b', [{ ul: [['a', { code: 'x\n y' }], ['b']] }]],
  ['> a\n> b\nmine', [{ quote: ['a\nb'] }, 'mine']],
  ['> - a\n>   > b', [{ quote: [{ ul: [['a', { quote: ['b'] }]] }] }]],
  ['# Title\nand text', ['Title', 'and text']],
  ['a\n\n    x\n\ty', ['a', { code: 'x\ny' }]],
  ['a\n\n\nb', ['a', 'b']],
  ['- ', []],
  ['- \n\ntext', ['text']],
])('blocks of %j', (body, expected) => {
  expect(words(parseText(body))).toEqual(expected);
});

const depthOf = (blocks: readonly Block[]): number =>
  1 +
  Math.max(
    0,
    ...blocks.map((block) =>
      block.type === 'quote'
        ? depthOf(block.blocks)
        : block.type === 'list'
          ? Math.max(0, ...block.items.map((item) => depthOf(item.blocks)))
          : block.type === 'table'
            ? depthIn(block.rows.flat(2))
            : 'inlines' in block
              ? depthIn(block.inlines)
              : 0,
    ),
  );
const depthIn = (inlines: readonly Inline[]): number =>
  Math.max(0, ...inlines.map((inline) => ('inlines' in inline ? 1 + depthIn(inline.inlines) : 0)));
const linksIn = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) =>
    block.type === 'quote'
      ? linksIn(block.blocks)
      : block.type === 'list'
        ? block.items.flatMap((item) => linksIn(item.blocks))
        : block.type === 'table'
          ? linksOf(block.rows.flat(2))
          : 'inlines' in block
            ? linksOf(block.inlines)
            : [],
  );
const linksOf = (inlines: readonly Inline[]): string[] =>
  inlines.flatMap((inline) => (inline.type === 'link' ? inline.url : 'inlines' in inline ? linksOf(inline.inlines) : []));

test('whatever is written, links lead to the web or a letter, and nothing is nested without end', () => {
  const part = fc.constantFrom(
    '*',
    '**',
    '_',
    '`',
    '```',
    '[',
    ']',
    '](',
    '(',
    ')',
    '<',
    '>',
    '> ',
    '- ',
    '1. ',
    '\n',
    '\n\n',
    '    ',
    'javascript:',
    'data:',
    'https://a.b/',
    'mailto:a@b',
    '"',
    '|',
    '\n|-|-|\n',
    '\\\\',
    ' ',
    'x',
    '^ORAC',
    '# ',
    '\u202E',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
      const blocks = parseText(parts.join(''));
      for (const url of linksIn(blocks)) expect(URL.parse(url)?.protocol).toMatch(/^(https?|mailto):$/);
      expect(depthOf(blocks)).toBeLessThan(60);
    }),
    { numRuns: 2000 },
  );
});

test('depth that is only there to be deep is cut off', () => {
  for (const body of [
    '> '.repeat(30_000),
    '- '.repeat(30_000) + 'x',
    `${'*a '.repeat(20_000)}${'a* '.repeat(20_000)}`,
    '[('.repeat(30_000),
  ])
    expect(depthOf(parseText(body))).toBeLessThan(60);
});

test('hostile lengths are read in linear time', () => {
  const started = performance.now();
  for (const body of ['`'.repeat(100_000), 'https://'.repeat(12_500), `https://a.example/${'('.repeat(99_000)}`, ')'.repeat(100_000)])
    parseText(body);
  expect(performance.now() - started).toBeLessThan(500);
});

test.each([
  ['openers', '*a '.repeat(33_000)],
  ['signs in words', '**a'.repeat(33_000)],
  ['closers', 'a* '.repeat(33_000)],
  ['one run', '_'.repeat(100_000)],
  ['quotes', '> a\n'.repeat(25_000)],
  ['items', '- a\n'.repeat(25_000)],
  ['blanks in a link', `[a](${' '.repeat(90_000)}((b)))`],
  ['links begun', '[a]('.repeat(25_000)],
  ['angles', '<a:'.repeat(33_000)],
  ['bars', '|'.repeat(100_000)],
  ['tables', 'a|b\n-|-\nc\n'.repeat(10_000)],
  ['rows', `a|b\n-|-\n${'c|d\n'.repeat(25_000)}`],
])('a hundred thousand characters of %s take no time that grows with their square', (_, body) => {
  const started = performance.now();
  parseText(body);
  expect(performance.now() - started).toBeLessThan(3_000);
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
    parseText(body, addressesIn(body, known)).flatMap((block) =>
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
  expect(marked('> ^ORAC said\n^ORAC')).toEqual(['block', '[^ORAC]']);
  expect(marked('^ORCA and 2^ORAC')).toEqual(['[^ORCA]', 'text']);
});

describe('tables', () => {
  const texts = (body: string) =>
    parseText(body).map((block) =>
      block.type === 'table'
        ? {
            align: block.align,
            rows: block.rows.map((cells) => cells.map((cell) => cell.map((one) => ('text' in one ? one.text : one.type)).join(''))),
          }
        : block.type === 'text'
          ? block.inlines.map((one) => ('text' in one ? one.text : one.type)).join('')
          : block.type,
    );

  test('a line of names, one of dashes with as many, and the rows; text before and after it stays text', () => {
    expect(texts('See:\n| step | who |\n|:---|---:|\n| build | **Ada** |\n| ship |\nDone.\na | b\n:-: | -\n')).toEqual([
      'See:\n',
      {
        align: ['left', 'right'],
        rows: [
          ['step', 'who'],
          ['build', 'strong'],
          ['ship', ''],
        ],
      },
      '\nDone.\n',
      { align: ['center', 'left'], rows: [['a', 'b']] },
    ]);
  });

  test.each([
    ['no line of dashes', 'a | b\nc | d'],
    ['not as many', '| a | b | c |\n|---|---|'],
    ['a line that only underlines', 'a\n---'],
    ['dashes and something else', '| a | b |\n|---|--x|'],
    ['too many to read', `${'|a'.repeat(21)}|\n${'|-'.repeat(21)}|`],
  ])('%s is none', (_case, body) => {
    expect(texts(body).every((block) => typeof block === 'string')).toBe(true);
  });

  test('an escaped bar is part of its cell; what is too much in a row is left out', () => {
    expect(texts('| a |\n|---|\n| x \\| y | z |')).toEqual([{ align: ['left'], rows: [['a'], ['x | y']] }]);
  });

  test('[PAP-18] addresses are marked in the cells they stand in', () => {
    const body = '^ORAC a\n| who | what |\n|---|---|\n| ^ORAC | ^STEF |\n^STEF b';
    const found = addressesIn(
      body,
      directory([
        { handle: 'ORAC', kind: 'agent' },
        { handle: 'STEF', kind: 'agent' },
      ]),
    );
    const [before, table, after] = parseText(body, found);
    expect(found).toHaveLength(4);
    expect(before).toMatchObject({ inlines: [{ type: 'address', text: '^ORAC' }, {}] });
    const cells = table?.type === 'table' ? table.rows[1]! : [];
    expect(cells).toMatchObject([[{ type: 'address', text: '^ORAC' }], [{ type: 'address', text: '^STEF' }]]);
    expect(after).toMatchObject({ inlines: [{ type: 'text' }, { type: 'address', text: '^STEF' }, {}] });
  });
});
