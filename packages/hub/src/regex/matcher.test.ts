import { describe, expect, test } from 'vitest';
import { Matcher } from './matcher.ts';
import type { MatchQuestion } from './question.ts';
import type { Ran } from './thread.ts';

const limits = {
  deadlines: { match: 100, contains: 100, compile: 100, judge: 100, recompile: 100 },
  eventMs: 250,
  burstMs: 1000,
  share: 0.5,
};
const ask = (text: string): MatchQuestion => ({ kind: 'match', source: 'x', text });
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** Threads that are told what to say. A text is how many milliseconds it takes; past the deadline the thread is stopped. */
function bench(more: Partial<typeof limits> = {}) {
  const state = { now: 0, step: 0, fails: false, threads: 0, closed: 0 };
  const asked: string[][] = [];
  const run = async (questions: readonly MatchQuestion[], sliceMs: number): Promise<Ran> => {
    asked.push(questions.map((one) => ('text' in one ? one.text : one.source)));
    await Promise.resolve();
    if (state.fails) throw new Error('no thread');
    const answers: Ran['answers'] = [];
    let spent = 0;
    for (const [at, question] of questions.entries()) {
      const ms = 'text' in question ? Number.parseFloat(question.text) || 0 : 0;
      if (ms >= limits.deadlines.match) return { answers: [], stopped: { at, ms: limits.deadlines.match } };
      answers.push({ value: true, ms, ...('text' in question && question.text === 'small' ? { size: 5 } : {}) });
      if ((spent += ms) >= sliceMs) break;
    }
    return { answers };
  };
  const answering = () => (state.threads++, { run, close: async () => void state.closed++ });
  const matcher = new Matcher({ limits: { ...limits, ...more }, answering, now: () => (state.now += state.step) });
  const slow = async (owner: string, texts: string[]): Promise<boolean[]> =>
    (await matcher.ask(owner, texts.map(ask))).map(({ tooSlow }) => tooSlow);
  return { state, asked, matcher, slow };
}

describe('[PRV-6] who is matched next, and for how long', () => {
  test('what is asked together is one message to the thread', async () => {
    const { matcher, asked } = bench();
    const answers = await Promise.all([matcher.ask('ann', [ask('a'), ask('b')]), matcher.ask('bob', [ask('c')])]);
    expect(answers).toEqual([
      [
        { tooSlow: false, value: true },
        { tooSlow: false, value: true },
      ],
      [{ tooSlow: false, value: true }],
    ]);
    expect(asked).toEqual([['a', 'b', 'c']]);
    expect(await matcher.ask('ann', [])).toEqual([]);
  });

  test('one that takes too long is stopped and is too slow; those beside it are asked again and answered', async () => {
    const { slow, asked } = bench();
    expect(await Promise.all([slow('ann', ['1', '999', '2']), slow('bob', ['3'])])).toEqual([[false, true, false], [false]]);
    expect(asked.flat().filter((text) => text === '999')).toHaveLength(1);
  });

  test('the regexes of one owner have so much time for one event; those of another have theirs', async () => {
    const { slow } = bench();
    const all = await Promise.all([
      slow(
        'ann',
        times(10, () => '999'),
      ),
      slow('bob', ['1']),
    ]);
    // Three are stopped after 100 ms each; then the 250 ms of the event are over.
    expect(all).toEqual([times(10, () => true), [false]]);
    const one = bench();
    await one.slow(
      'ann',
      times(10, () => '999'),
    );
    expect(one.asked.filter(([first]) => first === '999')).toHaveLength(3);
  });

  test('they have a share of all time: past it they are too slow at once, until it has come back', async () => {
    const { slow, asked, state } = bench();
    for (let event = 0; event < 4; event++) await slow('ann', ['999', '999', '999']);
    const used = asked.length;
    expect(used).toBe(10);
    expect([await slow('ann', ['1']), asked.length]).toEqual([[true], used]);
    expect(await slow('bob', ['1'])).toEqual([false]);
    state.now += 10;
    expect(await slow('ann', ['1'])).toEqual([false]);
    state.now += 10_000;
    expect(await slow('ann', ['999', '999'])).toEqual([true, true]);
  });

  test('whoever has used the least comes first, and whoever’s regex took long is answered apart for a while', async () => {
    const { slow, asked, state } = bench();
    await slow('ann', ['9']);
    asked.length = 0;
    await Promise.all([slow('ann', ['1']), slow('bob', ['2'])]);
    expect(asked).toEqual([['2', '1']]);
    await slow('ann', ['10']);
    asked.length = 0;
    await Promise.all([slow('ann', ['1']), slow('bob', ['2'])]);
    expect(asked).toEqual([['2'], ['1']]);
    state.now += 60_000;
    asked.length = 0;
    await Promise.all([slow('ann', ['1']), slow('bob', ['2'])]);
    expect(asked).toEqual([['2', '1']]);
  });

  test('[SYS-4] among owners whose time has come back, each is answered in turn: a late one does not wait for all others', async () => {
    const { slow, asked, state } = bench();
    // All that was used comes back before the next question.
    state.step = 100;
    const floods = ['a', 'b', 'c', 'd'].map((owner) =>
      slow(
        owner,
        times(5, () => `5 ${owner}`),
      ),
    );
    await Promise.all([...floods, slow('eve', ['5 eve'])]);
    expect(asked.slice(0, 6).map(([first]) => first)).toEqual(['5 a', '5 b', '5 c', '5 d', '5 eve', '5 a']);
  });

  test('a thread is given so many questions at once', async () => {
    const { matcher, asked } = bench();
    const many = times(300, () => ask('0'));
    await matcher.ask('ann', many);
    expect(asked.map((one) => one.length)).toEqual([256, 44]);
  });

  test('a small pattern that is known is matched at once on a short text, for so long in one turn', async () => {
    const { matcher, state } = bench();
    expect(matcher.atOnce('x', 'xy')).toBe(undefined);
    await matcher.ask('ann', [{ kind: 'match', source: 'x', text: 'small' }]);
    await expect.poll(() => matcher.atOnce('x', 'xy')).toBe(true);
    expect([matcher.atOnce('x', 'y'), matcher.atOnce('x', 'y'.repeat(2001)), matcher.atOnce('y', 'y')]).toEqual([
      false,
      undefined,
      undefined,
    ]);
    state.step = 1;
    const turn = times(5, () => matcher.atOnce('x', 'y'));
    expect(turn).toEqual([false, false, undefined, undefined, undefined]);
    state.step = 0;
    await new Promise((resolve) => setImmediate(resolve));
    expect(matcher.atOnce('x', 'y')).toBe(false);
  });

  test('compiling has a deadline of its own and is asked whatever was used', async () => {
    const { slow, matcher } = bench();
    for (let event = 0; event < 4; event++) await slow('ann', ['999', '999', '999']);
    expect(await matcher.ask('ann', [{ kind: 'compile', source: 'x' }])).toEqual([{ tooSlow: false, value: true }]);
  });

  test('without a thread nobody is left waiting, and the next one tries again', async () => {
    const { matcher, state, slow } = bench();
    state.fails = true;
    const outcomes = await Promise.allSettled([slow('ann', ['1']), slow('bob', ['1'])]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    state.fails = false;
    expect(await slow('ann', ['1'])).toEqual([false]);
    await matcher.close();
    expect([state.threads, state.closed]).toEqual([2, 2]);
  });
});
