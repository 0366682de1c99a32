import { expect, test } from 'vitest';
import { BatchedReads } from './batched-reads.ts';
import { CorruptRowError, type Reader, StoreAwayError } from './port.ts';

const stored = ['a', 'b', 'c'].map((key) => ({ key, value: key.toUpperCase() }));
type Asked = [tail: string, params: unknown[]];

function over(fails: (values: string[]) => Error | undefined = () => undefined): { gathered: BatchedReads; asked: Asked[] } {
  const asked: Asked[] = [];
  const rows = async (_table: string, tail: string, params: unknown[] = []) => {
    asked.push([tail, params]);
    const values = [params[0]].flat() as string[];
    const error = fails(values);
    if (error) throw error;
    return stored.filter(({ key }) => values.includes(key));
  };
  return { gathered: new BatchedReads({ rows } as unknown as Reader), asked };
}

test('what is asked in the same moment is one question, and everyone gets their own answer', async () => {
  const { gathered, asked } = over();
  const one = (key: string) => gathered.rows('settings', 'where key = ? order by key', [key]);
  const found = await Promise.all([
    one('b'),
    one('a'),
    one('none'),
    gathered.rows('settings', 'where key in {list} order by key', [['c', 'b']]),
  ]);
  expect(asked).toEqual([['where key in {list} order by key', [['b', 'a', 'none', 'c']]]]);
  expect(found.map((rows) => rows.map(({ value }) => value))).toEqual([['B'], ['A'], [], ['B', 'C']]);
});

test('questions that differ in anything else are asked apart, and those for a few of many each alone', async () => {
  const { gathered, asked } = over();
  const ask = (tail: string, ...params: unknown[]) => gathered.rows('settings', tail, params);
  await Promise.all([
    ask('where key = ? and value = ?', 'a', 'x'),
    ask('where key = ? and value = ?', 'b', 'y'),
    ask('where key = ? limit 1', 'a'),
    ask('where key = ? limit 1', 'b'),
    ask("where value = 'A'"),
  ]);
  expect(asked.map(([tail]) => tail).toSorted()).toEqual([
    'where key = ? limit 1',
    'where key = ? limit 1',
    'where key in {list} and value = ?',
    'where key in {list} and value = ?',
    "where value = 'A'",
  ]);
});

test('a damaged row concerns whoever asked for it; a database that is away concerns everyone', async () => {
  const damaged = over((values) => (values.includes('b') ? new CorruptRowError('settings', 'b') : undefined)).gathered;
  const ask = (key: string) => damaged.rows('settings', 'where key = ?', [key]);
  const found = await Promise.allSettled([ask('a'), ask('b')]);
  expect(found).toMatchObject([
    { status: 'fulfilled', value: [{ value: 'A' }] },
    { status: 'rejected', reason: { name: 'CorruptRowError' } },
  ]);
  const { gathered: away, asked } = over(() => new StoreAwayError('away'));
  await expect(Promise.all(['a', 'b'].map((key) => away.rows('settings', 'where key = ?', [key])))).rejects.toThrow(StoreAwayError);
  expect(asked).toHaveLength(1);
});
