import { describe, expect, it } from 'vitest';
import { readPage, withTables } from './corpora.ts';

describe('docs/attention.md', () => {
  it('has the list of who is woken as the code has it, and the figures of the classifiers as they are measured', () => {
    expect(readPage(), 'out of date: node scripts/corpora.ts').toBe(withTables(readPage()));
  });

  it('needs its markers', () => {
    expect(() => withTables('no markers')).toThrow('list:begin');
  });
});
