import { RE2JS } from 're2js';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { compiledOf, eventOf, on } from '../../test/provoke-sample.ts';
import { dryRun } from './dry-run.ts';
import { cannotTell, matchOf } from './pipeline.ts';
import { leftUntold, mostLooks } from './regex-budget.ts';
import { triggerSet } from './trigger-set.ts';

const regexes = (id: string, patterns: readonly string[], owner = 'mia') =>
  compiledOf(
    { id },
    patterns.map((pattern) => on('$.data.text', 'regex', pattern)),
    owner,
  );
const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
const text = `${'x'.repeat(100_000)}c`;

describe('[PRV-6] what regular expressions may cost one event', () => {
  afterEach(() => void vi.restoreAllMocks());
  const counted = () => vi.spyOn(RE2JS.prototype, 'test');

  test('the same pattern at the same place is asked once, by however many triggers, for the match and for what is told', () => {
    const all = times(20, (i) =>
      regexes(
        `t${i}`,
        times(50, () => 'c$'),
      ),
    );
    const asks = counted();
    const event = eventOf({ text });
    expect(triggerSet(all).matching(event)).toHaveLength(20);
    for (const one of all)
      dryRun(one, event, {
        owned: true,
        sender: undefined,
        known: false,
        cascade: { from: 'root' },
        started: 0,
        starts: [],
        manifest: undefined,
        now: 0,
      });
    expect(asks).toHaveBeenCalledTimes(1);
  });

  test('the patterns of one owner have a budget; past it they cannot tell, and stay so', () => {
    const all = times(20, (i) =>
      regexes(
        `t${i}`,
        times(50, (k) => `(?:\\b|.)*(?:q${i}w${k})?c$`),
      ),
    );
    const set = triggerSet([...all, regexes('another', ['c$'], 'ann')]);
    const asks = counted();
    const event = eventOf({ text });
    expect(set.matching(event).map(({ trigger }) => trigger.id)).toEqual(['another']);
    expect([leftUntold(event), all.filter((one) => cannotTell(one, event)).length]).toEqual([true, 20]);
    expect(asks.mock.calls.length).toBeLessThanOrEqual(mostLooks / text.length);
    const looked = asks.mock.calls.length;
    expect(all.map((one) => matchOf(one, event))).toEqual(all.map(() => 'too_long'));
    expect(asks.mock.calls.length).toBe(looked);
  });

  test('what does not hold is told as that, where another filter could not tell', () => {
    const many = times(40, (k) => `(?:\\b|.)*(?:q${k})?c$`);
    const event = eventOf({ text });
    expect(matchOf(regexes('first', ['nowhere', ...many]), event)).toEqual({ filter: 0 });
    expect(matchOf(regexes('late', many), event)).toBe('too_long');
    expect(leftUntold(eventOf({ text }))).toBe(false);
  });
});
