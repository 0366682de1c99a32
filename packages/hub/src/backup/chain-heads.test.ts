import { appendFile, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PlacedFact, Statements } from '../store/port.ts';
import { checkHead, HeadKeeper, revokedIn } from './chain-heads.ts';

/** A database of one epoch whose facts have their number as checksum. */
const database = (epoch: string, ends: number): Statements => {
  const fact = (seq: number) => (seq <= ends ? [{ seq, sum: String(seq) }] : []);
  return {
    all: (sql, [seq] = []) =>
      Promise.resolve((sql.includes('meta') ? [{ epoch, seq: ends }] : fact(sql.includes('where') ? Number(seq) : ends)) as never),
  };
};

async function withLog<R>(lines: object[], work: (dataDir: string, path: string) => Promise<R>): Promise<R> {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-heads-'));
  const path = join(dataDir, 'heads.log');
  try {
    await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return await work(dataDir, path);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

const head = (seq: number, epoch?: string, sum = String(seq)) => ({ seq, sum, at: 1, ...(epoch === undefined ? {} : { epoch }) });
const cutOff = 'later facts were cut off';

test.each<[string, object[], string, number, string | undefined]>([
  ['the largest of its epoch counts, not the last', [head(60, 'a'), head(12, 'a')], 'a', 12, cutOff],
  ['a line of before epochs counts for the epoch of the upgrade', [head(60), head(12)], 'a', 12, cutOff],
  ['also after later lines have named it', [head(60), head(12, 'a')], 'a', 12, cutOff],
  ['and for no epoch after it', [head(60), head(61, 'a'), head(12, 'b')], 'b', 12, undefined],
  ['another epoch says nothing', [head(60, 'a')], 'b', 12, undefined],
  ['an epoch that was left is an older database', [head(60, 'a'), head(12, 'b')], 'a', 60, 'an older database was put back'],
  ['another fact in its place is another chain', [head(12, 'a', 'other')], 'a', 12, 'the chain was replaced'],
])('[SYS-15] heads.log: %s', async (_title, lines, epoch, ends, expected) => {
  const problems = await withLog(lines, (dataDir) => checkHead(database(epoch, ends), dataDir));
  expect(problems?.map(({ what }) => what) ?? []).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)]);
});

test('[SYS-15] heads.log is shortened to the largest head of each epoch and what was revoked', async () => {
  const many = Array.from({ length: 20_000 }, (_, n) => head(n + 1, 'a', `${n + 1}`.padStart(32, '0')));
  const lines = [head(60), { revoked: 'tok_1' }, ...many, head(12, 'b'), head(90, 'c'), head(80, 'c')];
  await withLog(lines, async (dataDir, path) => {
    const keeper = new HeadKeeper({ dataDir, now: () => 2, onError: (error) => expect(error).toBeUndefined() });
    await keeper.follow(database('c', 91));
    await keeper.stop();
    const kept = (await readFile(path, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(kept).toEqual([
      { revoked: 'tok_1' },
      expect.objectContaining({ seq: 20_000, epoch: 'a' }),
      expect.objectContaining({ seq: 12, epoch: 'b' }),
      expect.objectContaining({ seq: 91, epoch: 'c' }),
    ]);
  });
});

const revokedToken = (subject_id: string): PlacedFact => ({ type: 'token.revoked', subject_id }) as PlacedFact;

test('[SYS-15] heads.log names each token that was revoked, also after a line that was cut off and a write that failed', async () => {
  await withLog([head(60, 'a')], async (dataDir, path) => {
    // The power went in the middle of it.
    await appendFile(path, '{"seq":61,"su');
    const errors: unknown[] = [];
    const keeper = new HeadKeeper({ dataDir, now: () => 2, onError: (error) => void errors.push(error) });
    await keeper.follow(database('a', 62));
    keeper.hear([revokedToken('tok_1')]);
    await keeper.stop();
    await rename(dataDir, `${dataDir}-away`);
    keeper.hear([revokedToken('tok_2')]);
    await keeper.stop();
    expect(errors).toHaveLength(1);
    await rename(`${dataDir}-away`, dataDir);
    await keeper.stop();
    expect(await revokedIn(dataDir)).toEqual(new Set(['tok_1', 'tok_2']));
  });
});
