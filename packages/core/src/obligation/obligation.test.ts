import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Ladder,
  newObligation,
  nextTick,
  type ObligationFacts,
  type ObligationEvent,
  obligationLimits,
  stepObligation,
} from './obligation.ts';
import { signals } from '../attention/signal.ts';

const interval = 1000;
const ladder: Ladder = [
  { id: 'boss', kind: 'agent' },
  { id: 'ann', kind: 'human' },
];
const fresh = newObligation({ authorId: 'a', delegateId: 'd', recipientId: 'r', intervalMs: interval }, 0);

const run = (events: ObligationEvent[], from: ObligationFacts = fresh) => {
  let obligation = from;
  const effects: string[] = [];
  for (const event of events) {
    const stepped = stepObligation(obligation, event, ladder);
    if (!stepped.ok) {
      effects.push(stepped.reason);
      continue;
    }
    obligation = stepped.obligation;
    effects.push(...stepped.effects.map((effect) => `${effect.kind} ${'to' in effect ? effect.to : effect.from}`));
  }
  return { obligation, effects };
};
const due = (now: number): ObligationEvent => ({ type: 'due', now });
const says = (by: string, signal: (typeof signals)[number], now: number): ObligationEvent => ({ type: 'signal', by, signal, now });
const ticks = (n: number): ObligationEvent[] => Array.from({ length: n }, (_, i) => due((i + 1) * interval));

describe('[C2A-31] an obligation', () => {
  test('comes back three times at a flat interval, then goes to the manager, then to a person, and stays there', () => {
    const { obligation, effects } = run(ticks(20));
    expect(effects).toEqual([
      'knock r',
      'knock r',
      'knock r',
      'knock boss',
      'knock boss',
      'knock boss',
      'knock boss',
      'checkpoint ann', // prettier-ignore
    ]);
    expect(obligation).toMatchObject({ open: true, holderId: 'ann', nextAt: null });
  });

  test('does not come back before its time', () => {
    expect(run([due(999)]).effects).toEqual([]);
  });

  test('counts from its creation, and what was missed while nobody ran is not caught up', () => {
    const { obligation, effects } = run([due(1000), due(7300)]);
    expect(effects).toEqual(['knock r', 'knock r']);
    expect(obligation).toMatchObject({ returns: 2, nextAt: 8000 });
    expect(nextTick(fresh, 8000)).toBe(9000);
  });

  test.each(['working', 'queued'] as const)('%s puts it off, once', (signal) => {
    const { obligation, effects } = run([
      due(1000),
      due(2000),
      due(3000),
      says('r', signal, 3500),
      due(4000),
      says('r', signal, 4100),
      due(5000),
      due(6000),
      due(7000),
    ]);
    expect(effects).toEqual(['knock r', 'knock r', 'knock r', 'knock r', 'knock r', 'knock r', 'knock boss']);
    expect(obligation.extended).toBe(true);
  });

  test.each(['declined', 'blocked'] as const)('%s sends it up at once', (signal) => {
    expect(run([says('r', signal, 10)]).effects).toEqual(['knock boss']);
    expect(run([says('r', signal, 10), says('boss', signal, 20)]).effects).toEqual(['knock boss', 'checkpoint ann']);
  });

  test('unclear opens one back, once, and it rests until that is settled', () => {
    const { obligation, effects } = run([says('r', 'unclear', 10), says('r', 'unclear', 20), due(1000), due(2000)]);
    expect(effects).toEqual(['open_back a']);
    expect(obligation.nextAt).toBeNull();
    expect(run([{ type: 'answered_back', now: 2500 }, due(3000)], obligation).effects).toEqual(['knock r']);
  });

  test('what was asked back and is unclear in turn goes up, and opens nothing more', () => {
    const back = newObligation({ authorId: 'r', delegateId: null, recipientId: 'a', intervalMs: interval, isBack: true }, 0);
    expect(run([says('a', 'unclear', 10), says('boss', 'unclear', 20)], back).effects).toEqual(['knock boss', 'checkpoint ann']);
  });

  test('the last person may ask back, too, and is never nagged: not after working, nor after an explanation', () => {
    const { obligation } = run([says('r', 'blocked', 10), says('boss', 'blocked', 20)]);
    const later = run(
      [says('ann', 'working', 30), says('ann', 'unclear', 40), says('ann', 'unclear', 50), { type: 'answered_back', now: 60 }],
      obligation,
    );
    expect(later.effects).toEqual(['open_back a']);
    expect(later.obligation).toMatchObject({ holderId: 'ann', nextAt: null, open: true });
  });

  test.each(['seen', 'agree', 'done', 'claimed'] as const)('%s changes nothing: no reaction ever settles it', (signal) => {
    const { obligation, effects } = run([says('r', signal, 10)]);
    expect([obligation, effects]).toEqual([fresh, []]);
  });

  test('whoever does not hold it cannot put it off or send it up', () => {
    expect(run([says('x', 'working', 10), says('a', 'declined', 20), says('boss', 'blocked', 30)])).toEqual({
      obligation: fresh,
      effects: ['not_the_holder', 'not_the_holder', 'not_the_holder'],
    });
  });

  test('is settled by its author or whom they named, and by nobody else', () => {
    expect(
      run([
        { type: 'discharge', by: 'r', now: 5 },
        { type: 'discharge', by: 'ann', now: 5 },
      ]),
    ).toEqual({ obligation: fresh, effects: ['not_yours', 'not_yours'] });
    for (const by of ['a', 'd'])
      expect(run([{ type: 'discharge', by, now: 5 }, ...ticks(9)])).toMatchObject({ effects: [], obligation: { open: false } });
  });

  test('settled stays settled, whatever comes; open, nothing but its author ends it', () => {
    const who = fc.constantFrom('a', 'd', 'r', 'boss', 'ann', 'x');
    const anything = fc.oneof(
      fc.record({ type: fc.constant('due' as const) }),
      fc.record({ type: fc.constant('signal' as const), by: who, signal: fc.constantFrom(...signals) }),
      fc.record({ type: fc.constant('answered_back' as const) }),
      fc.record({ type: fc.constant('discharge' as const), by: who }),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(anything, fc.integer({ min: 0, max: 3000 })), { maxLength: 40 }), (events) => {
        let obligation = fresh;
        let now = 0;
        for (const [event, after] of events) {
          now += after;
          const stepped = stepObligation(obligation, { ...event, now }, ladder);
          if (!stepped.ok) continue;
          const next = stepped.obligation;
          if (!obligation.open) expect([next.open, stepped.effects]).toEqual([false, []]);
          if (obligation.open && !next.open) expect(event.type === 'discharge' && ['a', 'd'].includes(event.by)).toBe(true);
          expect(next.createdAt).toBe(0);
          expect(next.level).toBeGreaterThanOrEqual(obligation.level);
          expect(next.returns).toBeLessThanOrEqual(obligationLimits.returns);
          if (next.nextAt !== null) expect(next.nextAt % interval).toBe(0);
          obligation = next;
        }
      }),
    );
  });
});
