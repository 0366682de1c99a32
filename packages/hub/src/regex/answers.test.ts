import { describe, expect, test } from 'vitest';
import { Answers, mostAsked, mostLetters, mostSteps, UnansweredRegexes } from './answers.ts';
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

describe('[PRV-5] [PRV-6] what regular expressions say, as data', () => {
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
    const pace = { left: 2, letters: 0, steps: 0 };
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

  test('contains: each owner has so many letters searched here, the same search counts once; the rest are asked', async () => {
    const { asked, matcher } = bench();
    const answers = new Answers('');
    const half = 'a'.repeat(mostLetters / 2 - 100);
    const said = () => ['b', 'b', 'a', 'c'].map((part) => answers.contains(part, half, 'ann'));
    expect([said(), answers.isComplete, answers.contains('c', half, 'bob')]).toEqual([[false, false, true, true], false, false]);
    await answers.fetch(matcher);
    expect([said(), asked.map(({ kind }) => kind), answers.isComplete]).toEqual([[false, false, true, true], ['contains'], true]);
  });

  test('contains: a long part costs more; past the number asked, it is too slow, and never for a program that nobody waits for', () => {
    const answers = new Answers('');
    const text = 'x'.repeat(mostLetters);
    expect([answers.contains('y'.repeat(3200), text.slice(0, 9901), 'ann'), answers.isComplete]).toEqual([true, false]);
    const said = times(mostAsked + 1, (i) => answers.contains(`y${i}`, text, 'ann'));
    expect([said.filter((one) => one === true).length, said.at(-1)]).toEqual([mostAsked - 1, null]);
    const unbounded = new Answers('', { unbounded: true });
    expect(new Set(times(mostAsked + 1, (i) => unbounded.contains(`y${i}`, text, 'ann')))).toEqual(new Set([false]));
    expect(times(mostAsked + 1, (i) => unbounded.holds(`y${i}`, text, 'ann'))).not.toContain(null);
  });

  test('contains: in one pass so many letters are searched, for all commands together', () => {
    const pace = { left: 9, letters: mostLetters, steps: 0 };
    const [ann, bob] = times(2, () => new Answers('', { pace }));
    const text = 'x'.repeat(mostLetters - 100);
    expect(ann!.contains('y', text, 'ann')).toBe(false);
    expect(() => bob!.contains('y', text, 'bob')).toThrow(UnansweredRegexes);
    pace.letters = mostLetters;
    expect([ann!.contains('y', text, 'ann'), bob!.contains('y', text, 'bob'), bob!.isComplete]).toEqual([false, false, true]);
  });

  test('paths: in one pass so many steps are walked, for all commands together; one that has begun goes on to its end', () => {
    const pace = { left: 9, letters: 0, steps: mostSteps };
    const [ann, bob] = times(2, () => new Answers('', { pace }));
    const walk = (of: Answers, paths: number) => {
      of.rewind();
      for (let i = 0; i < paths; i++) of.walk(60);
    };
    walk(ann!, mostSteps / 50);
    expect(pace.steps).toBeLessThan(0);
    for (const one of [ann!, bob!]) expect(() => walk(one, 1)).toThrow(UnansweredRegexes);
    pace.steps = mostSteps;
    walk(bob!, 1);
    expect(pace.steps).toBeLessThan(mostSteps);
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
