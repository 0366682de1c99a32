import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { Knowledge } from '../../test/kit/knowledge.ts';
import { hour, Line } from '../../test/kit/line.ts';
import type { SealedSession } from './session.ts';

type Name = 'ann' | 'bob';
const other = (name: Name): Name => (name === 'ann' ? 'bob' : 'ann');

let knowledge: Knowledge;
beforeEach(() => {
  knowledge = new Knowledge();
});
afterEach(() => knowledge.stop());

/** Holds a session, and the identity key that its owner keeps beside it. What is recorded later counts too: call it at the end. */
const thiefOf = (line: Line, name: Name, session = line.ends[name]): ((body: Uint8Array) => boolean) =>
  knowledge.opener(session, line[name].key.secret);

describe('forward secrecy', () => {
  it('[A2C-5] all of a peer’s state opens no earlier packet; with erasure switched off it does', async () => {
    const line = await Line.begun();
    const kept: SealedSession[] = [];
    const captured: Uint8Array[] = [];
    for (let n = 0; n < 12; n += 1) {
      const from = n % 3 === 0 ? 'bob' : 'ann';
      if (n === 6) line.now += hour;
      const body = await line.sealed(from, `text ${n}`);
      kept.push(line.ends.bob!);
      await line.opened(other(from), body);
      captured.push(body);
    }
    for (const name of ['ann', 'bob'] as const) expect(captured.filter(thiefOf(line, name)), `${name}’s state`).toEqual([]);
    // Only bob's first stays closed: it came with a commit of his own, made before any of his states was kept.
    expect(captured.filter(knowledge.opener(kept, line.bob.key.secret))).toEqual(captured.slice(1));
  });

  it('[A2C-5] a lost packet keeps its own key only: what came after it stays closed', async () => {
    const line = await Line.begun();
    const lost = await line.sealed('ann', 'lost');
    const later = [];
    for (const text of ['one', 'two', 'three']) {
      const body = await line.sealed('ann', text);
      later.push(body);
      await line.opened('bob', body);
    }
    const waiting = thiefOf(line, 'bob');
    expect(waiting(lost)).toBe(true);
    expect(later.filter(waiting)).toEqual([]);
    expect(await line.opened('bob', lost)).toBe('lost');
    expect(thiefOf(line, 'bob')(lost)).toBe(false);
  });

  it('[A2C-5] holds whatever is lost, late or in another order', async () => {
    const step = fc.record({ from: fc.constantFrom<Name>('ann', 'bob'), delay: fc.nat(6), isLost: fc.boolean(), pause: fc.boolean() });
    const property = fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
      knowledge.stop();
      knowledge = new Knowledge();
      const line = await Line.begun();
      const waiting: { at: number; to: Name; body: Uint8Array; n: number }[] = [];
      const opened: Uint8Array[] = [];
      for (const [n, { from, delay, isLost, pause }] of steps.entries()) {
        if (pause) line.now += hour;
        const body = await line.sealed(from, `text ${n}`);
        if (!isLost) waiting.push({ at: n + delay, to: other(from), body, n });
        for (const due of waiting.filter(({ at }) => at <= n)) {
          waiting.splice(waiting.indexOf(due), 1);
          const text = await line.opened(due.to, due.body).catch(() => undefined);
          if (text !== undefined) opened.push(due.body);
        }
      }
      for (const name of ['ann', 'bob'] as const) expect(opened.filter(thiefOf(line, name))).toEqual([]);
    });
    await fc.assert(property, { numRuns: 15 });
  });

  it('[A2C-5] one-sided commits would not heal the other side; alternating ones do', async () => {
    const line = await Line.begun();
    await line.say('bob', 'commits');
    await line.say('ann', 'answers');
    const stolen = line.ends.bob;
    // The rule is broken on purpose: ann commits three times in a row, bob never.
    for (let n = 0; n < 3; n += 1) {
      line.ends.ann = { ...line.ends.ann!, mayCommit: true, lastCommitAt: 0 };
      line.ends.bob = { ...line.ends.bob!, mayCommit: false };
      await line.say('ann', `commit ${n}`);
      line.ends.bob = { ...line.ends.bob, mayCommit: false };
      await line.say('bob', 'has it');
    }
    const unhealed = await line.sealed('ann', 'still readable');
    await line.opened('bob', unhealed);
    expect(thiefOf(line, 'bob', stolen)(unhealed)).toBe(true);

    line.ends.bob = { ...line.ends.bob!, mayCommit: true, lastCommitAt: 0 };
    line.ends.ann = { ...line.ends.ann!, mayCommit: false };
    await line.say('bob', 'commits himself');
    const healed = await line.sealed('ann', 'closed again');
    await line.opened('bob', healed);
    expect(thiefOf(line, 'bob', stolen)(healed)).toBe(false);
  });

  it('[A2C-5] the right to commit alternates, so a theft on either side heals after two commits', async () => {
    for (const name of ['ann', 'bob'] as const) {
      const line = await Line.begun();
      await line.say('bob', 'commits');
      await line.say('ann', 'answers');
      const stolen = line.ends[name];
      const before = await line.sealed('ann', 'readable for the thief');
      await line.opened('bob', before);
      expect(thiefOf(line, name, stolen)(before)).toBe(true);
      for (const from of ['ann', 'bob', 'ann', 'bob'] as const) {
        line.now += hour;
        await line.say(from, 'commits');
      }
      const after = await line.sealed('bob', 'closed');
      await line.opened('ann', after);
      expect(thiefOf(line, name, stolen)(after), name).toBe(false);
    }
  });
});
