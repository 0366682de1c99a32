// The thread that matches, in earnest. Deadlines are far from what a question takes, on either side: nothing here is timed.

import { Random } from '@parley/testkit';
import { afterEach, describe, expect, test } from 'vitest';
import type { MatchQuestion } from '../../src/regex/question.ts';
import { type Deadlines, RegexThread } from '../../src/regex/thread.ts';

const roomy: Deadlines = { match: 60_000, contains: 60_000, compile: 60_000, judge: 60_000, recompile: 60_000 };
const match = (source: string, text: string): MatchQuestion => ({ kind: 'match', source, text });
const letters = new Random(3);
/** Takes many seconds. */
const endless = match('(a|b)*a(a|b){400}[^ab]', Array.from({ length: 1_000_000 }, () => (letters.int(2) === 0 ? 'a' : 'b')).join(''));

describe('[PRV-6] the thread that matches', () => {
  const threads: RegexThread[] = [];
  const start = (deadlines: Partial<Deadlines> = {}): RegexThread => {
    const thread = new RegexThread({ ...roomy, ...deadlines });
    threads.push(thread);
    return thread;
  };
  afterEach(async () => {
    for (const thread of threads.splice(0)) await thread.close();
  });
  const values = ({ answers }: { answers: { value: unknown }[] }) => answers.map(({ value }) => value);

  test('answers what matches, what RE2 refuses, and whether an output fits', async () => {
    const output = (schema: object): string => JSON.stringify({ type: 'structured', schema });
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^x+$' } } };
    const done = await start().run(
      [
        match('^no\\d$', 'no1'),
        match('^no\\d$', 'no'),
        match('(', 'a'),
        { kind: 'compile', source: 'a{1000}' },
        { kind: 'compile', source: '(?=a)' },
        { kind: 'judge', output: output(schema), text: '{"a":"xx"}' },
        { kind: 'judge', output: output(schema), text: '{"a":"y"}' },
      ],
      60_000,
    );
    expect(values(done)).toEqual([
      true,
      false,
      false,
      null,
      'is not RE2: it cannot look ahead: (?=',
      { ok: true, value: { a: 'xx' } },
      { ok: false, problems: [{ field: 'a', message: expect.stringContaining('pattern') }] },
    ]);
  });

  test('goes on for a slice of time, and leaves the rest', async () => {
    const done = await start().run([match('a', 'a'), match('b', 'b')], 0);
    expect(values(done)).toEqual([true]);
  });

  test('one that is past its deadline is stopped, whichever it is; another thread answers the next', async () => {
    const thread = start({ match: 50 });
    const first = await thread.run([endless, match('a', 'a')], 60_000);
    expect([first.answers, first.stopped?.at]).toEqual([[], 0]);
    const second = await thread.run([match('a', 'a'), endless], 60_000);
    expect([second.answers, second.stopped?.at]).toEqual([[], 1]);
    expect(values(await thread.run([match('a', 'a')], 60_000))).toEqual([true]);
  });

  test('compiling that takes too long is stopped as well', async () => {
    const source = Array.from({ length: 20_000 }, (_, i) => `(?i:${i.toString(36)}[a-z])`).join('|');
    const { stopped } = await start({ compile: 5 }).run([{ kind: 'compile', source }], 60_000);
    expect(stopped?.at).toBe(0);
  });

  test('closed, it answers no more', async () => {
    const thread = start();
    await thread.close();
    await expect(thread.run([match('a', 'a')], 60_000)).rejects.toThrow('closed');
  });
});
