import { describe, expect, it } from 'vitest';
import { pages, readPage, withTable } from './corpora.ts';

describe.each(pages)('$path', (page) => {
  it('has its table as the code has it now', () => {
    expect(readPage(page), 'out of date: node scripts/corpora.ts').toBe(withTable(page, readPage(page)));
  });

  it('needs its markers', () => {
    expect(() => withTable(page, 'no markers')).toThrow(`${page.name}:begin`);
  });
});
