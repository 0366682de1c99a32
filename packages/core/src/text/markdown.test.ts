import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hiddenSpans, partsOf } from './markdown.ts';

const hidden = (text: string): string[] => hiddenSpans(text).map(({ start, end }) => text.slice(start, end));

describe('what is shown or pointed at rather than said', () => {
  test.each<[string, string, string[]]>([
    ['nothing', 'plain words', []],
    ['code', 'a `b` c ``d ` e`` f', ['`b`', '``d ` e``']],
    ['a fence, whole', 'a\n```js\nb\n```\nc', ['```js\nb\n```']],
    ['a fence to the end', 'a\n~~~\nb\n\nc', ['~~~\nb\n\nc']],
    ['a fence in an item of a list', '1. a\n   ```\n   b\n   ```\n2. c', ['   ```\n   b\n   ```']],
    ['each line of a quote', '> a\n> b\nc', ['> a', '> b']],
    ['code by its indent', 'a\n\n    b\n\n\tc\nd', ['    b', '\tc']],
    ['not what is indented under its paragraph', 'a\n        b', []],
    ['a link with its text', 'a [b](c "d") e', ['[b](c "d")']],
    ['a link around a picture', '[![a](b)](c)', ['[![a](b)](c)']],
    ['a link by name, and what the name means', '[a][1]\n\n[1]: /b', ['[a][1]', '[1]: /b']],
    ['a bare link', 'a https://b.org/c, d', ['https://b.org/c,']],
    ['a bare link up to the bracket around it', '(a.org/b)', ['a.org/b']],
    ['a link that overlaps another, once', '[a https://b.org](c)d e', ['[a https://b.org](c)d']],
    ['code before links', '[a `](b)` c', ['`](b)`']],
    ['not what is escaped', String.raw`\`a\` \[b](c) \<d:e>`, []],
  ])('[PAP-18] %s', (_, text, expected) => {
    expect(hidden(text)).toEqual(expected);
  });

  test('[PAP-18] whatever the text, the spans are in order, apart, and inside it', () => {
    const part = fc.constantFrom(
      '`',
      '```',
      '~~~',
      '[',
      ']',
      '](',
      '(',
      ')',
      '<',
      '>',
      'a:',
      '|',
      '\\',
      '\n',
      '\r',
      '    ',
      '- ',
      '1. ',
      'https://',
      'a.b/',
      'x',
      '"',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        let last = 0;
        for (const { start, end } of hiddenSpans(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = end;
        }
      }),
      { numRuns: 2000 },
    );
  });
});

test('[PAP-18] the parts a text is made of, for those who show it', () => {
  const text = '# T\na\n- b\n  > c\n  1. d\n- \n\n      e\n\n```\nf\n```\n[g]: /h';
  expect(partsOf(text).map(({ kind, depth, marker, start, end }) => [kind, depth, marker, text.slice(start, end)])).toEqual([
    ['heading', 0, undefined, '# T'],
    ['prose', 0, undefined, 'a'],
    ['prose', 1, '-', 'b'],
    ['quote', 1, undefined, '  > c'],
    ['prose', 2, '1.', 'd'],
    ['indented', 1, '-', '      e'],
    ['fence', 0, undefined, '```\nf\n```'],
    ['definition', 0, undefined, '[g]: /h'],
  ]);
});
