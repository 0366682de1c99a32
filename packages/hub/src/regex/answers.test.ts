import { describe, expect, test } from 'vitest';
import { Answers, mostAsked, UnansweredRegexes } from './answers.ts';
import { Matcher } from './matcher.ts';
import type { MatchQuestion } from './question.ts';

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));

/** Says that everything matches but what is `no`, which does not, and `slow`, which takes too long. */
function bench() {
  const asked: MatchQuestion[] = [];
  const run = ([first]: readonly MatchQuestion[]) => {
    asked.push(first!);
    const text = first!.kind === 'match' ? first!.text : '';
    if (text === 'slow') return Promise.resolve({ answers: [], stopped: { at: 0, ms: 1 } });
    return Promise.resolve({ answers: [{ value: first!.kind === 'compile' ? 'is wrong' : text !== 'no', ms: 0 }] });
  };
  return { asked, matcher: new Matcher({ answering: () => ({ run, close: () => Promise.resolve() }) }) };
}

describe('[PRV-6] what regular expressions say, as data', () => {
  test('what is not known is noted once, taken to hold, and asked for together', async () => {
    const { asked, matcher } = bench();
    const answers = new Answers('ann');
    const said = () => ['yes', 'no', 'slow', 'yes'].map((text) => answers.holds('x', text, 'bob'));
    expect(said()).toEqual([true, true, true, true]);
    expect(() => answers.settle()).toThrow(UnansweredRegexes);
    await answers.fetch(matcher);
    expect([said(), asked.length]).toEqual([[true, false, null, true], 3]);
    answers.settle();
    expect([answers.problem('('), answers.isComplete]).toEqual([undefined, false]);
    await answers.fetch(matcher);
    expect([answers.problem('('), answers.isComplete]).toEqual(['is wrong', true]);
  });

  test('what one owner was told is not another’s, and what is nobody’s is the payer’s', async () => {
    const { asked, matcher } = bench();
    const answers = new Answers('ann');
    for (const owner of ['bob', 'cem', '', 'ann']) answers.holds('x', 'yes', owner);
    await answers.fetch(matcher);
    expect(asked).toHaveLength(3);
    const fixed = new Answers('ann', { fixed: true });
    for (const owner of ['bob', 'cem', '', 'ann']) fixed.holds('x', 'yes', owner);
    await fixed.fetch(matcher);
    expect(asked).toHaveLength(4);
  });

  test('of one owner so many are asked; the rest are too slow, and another’s are not', () => {
    const answers = new Answers('');
    const said = times(mostAsked + 2, (i) => answers.holds(`x${i}`, 'yes', 'ann'));
    expect([said.filter((one) => one === true).length, said.at(-1), answers.holds('x', 'yes', 'bob')]).toEqual([mostAsked, null, true]);
  });

  test('in one pass so many are noted; what is known at once does not count', async () => {
    const { matcher } = bench();
    const pace = { left: 2 };
    const answers = new Answers('', { pace, atOnce: (source) => (source === 'quick' ? false : undefined) });
    const pass = () => times(3, (i) => answers.holds(`x${i}`, 'yes', 'ann'));
    expect(answers.holds('quick', 'yes', 'ann')).toBe(false);
    expect(pass).toThrow(UnansweredRegexes);
    await answers.fetch(matcher);
    pace.left = 2;
    expect([pass(), answers.isComplete]).toEqual([[true, true, true], false]);
    await answers.fetch(matcher);
    expect([pass(), answers.isComplete]).toEqual([[true, true, true], true]);
  });

  test('it is run until nothing is unknown, whatever it refuses before', async () => {
    const { matcher } = bench();
    let runs = 0;
    const answers = new Answers('');
    const refuses = answers.complete(matcher, (patterns) => {
      runs++;
      patterns.holds('x', runs === 1 ? 'yes' : 'no', '');
      throw new Error(`refused ${runs}`);
    });
    await expect(refuses).rejects.toThrow('refused 3');
  });
});
