import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChainClock, chainLimits, leftOf, mayDelegate, renewClock, setRunning } from './chain.ts';

describe('may it give work to another?', () => {
  test.each<[string, number, string[], string, number, ReturnType<typeof mayDelegate>]>([
    ['[PAP-11] the first agent may', 0, ['a'], 'b', 1, { ok: true, depth: 1 }],
    ['[PAP-11] the third hop runs', 2, ['a', 'b', 'c'], 'd', 3, { ok: true, depth: 3 }],
    ['[PAP-11] the fourth is refused', 3, ['a', 'b', 'c', 'd'], 'e', 4, { ok: false, reason: 'too_deep' }],
    ['[PAP-12] not to itself', 0, ['a'], 'a', 1, { ok: false, reason: 'circular' }],
    ['[PAP-12] not to whom it works for', 1, ['a', 'b'], 'a', 2, { ok: false, reason: 'circular' }],
    ['[PAP-12] a circle is named before the depth', 3, ['a', 'b', 'c', 'd'], 'b', 4, { ok: false, reason: 'circular' }],
    ['[PAP-12] a finished sibling is not in the path', 0, ['a'], 'b', 3, { ok: true, depth: 1 }],
    ['[SYS-10] the fiftieth task is made', 0, ['a'], 'b', 49, { ok: true, depth: 1 }],
    ['[SYS-10] the fifty-first is not', 0, ['a'], 'b', 50, { ok: false, reason: 'chain_full' }],
  ])('%s', (_, depth, path, agent, tasks, expected) => {
    expect(mayDelegate({ depth, path }, agent, tasks)).toEqual(expected);
  });

  test('[PAP-11] [PAP-12] however agents call each other, no chain is deeper than three hops and nobody is in it twice', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'), { minLength: 1, maxLength: 12 }), ([root, ...calls]) => {
        let link = { depth: 0, path: [root!] };
        for (const agent of calls) {
          const may = mayDelegate(link, agent, link.path.length);
          if (may.ok) link = { depth: may.depth, path: [...link.path, agent] };
        }
        expect(link.path.length).toBeLessThanOrEqual(1 + chainLimits.maxDepth);
        expect(new Set(link.path).size).toBe(link.path.length);
        expect(link.depth).toBe(link.path.length - 1);
      }),
    );
  });
});

describe('the chain’s clock', () => {
  const fresh: ChainClock = { leftMs: chainLimits.runMs };

  test('[PAP-13] it runs while some agent is to act, for all tasks of the chain alike', () => {
    const running = setRunning(fresh, true, 1000);
    expect(running).toEqual({ runsUntil: 1000 + chainLimits.runMs });
    expect(setRunning(running, true, 5000)).toBe(running);
    expect(leftOf(running, 1000 + chainLimits.runMs + 1)).toBe(0);
  });

  test('[PAP-7] it stands still while everything waits', () => {
    const stopped = setRunning(setRunning(fresh, true, 0), false, 60_000);
    expect(stopped).toEqual({ leftMs: chainLimits.runMs - 60_000 });
    expect(leftOf(stopped, 10 ** 12)).toBe(chainLimits.runMs - 60_000);
    expect(setRunning(stopped, false, 10 ** 12)).toBe(stopped);
  });

  test('[PAP-9] going on renews it, running or not', () => {
    expect(renewClock({ leftMs: 5 }, 1000)).toEqual({ leftMs: chainLimits.runMs });
    expect(renewClock({ runsUntil: 1005 }, 1000)).toEqual({ runsUntil: 1000 + chainLimits.runMs });
  });

  test('[PAP-13] whatever starts and stops it, it loses exactly the time it ran', () => {
    const step = fc.record({ ms: fc.nat(20 * 60_000), running: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let clock: ChainClock = fresh;
        let now = 0;
        let ran = 0;
        for (const { ms, running } of steps) {
          clock = setRunning(clock, running, now);
          const before = leftOf(clock, now);
          now += ms;
          if (running) ran += ms;
          expect(leftOf(clock, now)).toBeLessThanOrEqual(before);
          expect(leftOf(clock, now)).toBe(Math.max(0, chainLimits.runMs - ran));
          // Once it has run out, the task ends: nothing sets it going again.
          if (ran >= chainLimits.runMs) break;
        }
      }),
    );
  });
});
