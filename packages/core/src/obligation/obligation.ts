// Somebody is held up until somebody else answers (C2A-31). A question that is only delivered can be forgotten; an
// obligation comes back to the one who owes the answer, at a flat interval, and after three returns goes up the ladder.
// Nothing expires: only the author, or their delegate, can say that it is settled.

import type { Signal } from '../attention/signal.ts';

export interface ObligationLimits {
  intervalMs: number;
  /** So often it comes back to one person or agent before it goes up. */
  returns: number;
}
export const obligationLimits: ObligationLimits = { intervalMs: 15 * 60_000, returns: 3 };

export interface ObligationFacts {
  authorId: string;
  /** May settle it in the author's stead. */
  delegateId: string | null;
  /** Who is reminded now, and how far up that is: 0 is the recipient. */
  holderId: string;
  level: number;
  intervalMs: number;
  createdAt: number;
  /** To this holder, so far. */
  returns: number;
  /** The one time it may be put off has been used. */
  extended: boolean;
  /** Null: it does not come back: settled, with the last person there is, or waiting for its own question to be answered. */
  nextAt: number | null;
  /** It is itself what somebody asked back. */
  isBack: boolean;
  /** Its holder has asked back, and waits for that. */
  asksBack: boolean;
  open: boolean;
}

/** Who stands above the recipient, nearest first, a person last. */
export type Ladder = readonly { id: string; kind: 'human' | 'agent' }[];

export type ObligationEvent =
  | { type: 'due'; now: number }
  | { type: 'signal'; by: string; signal: Signal; now: number }
  | { type: 'answered_back'; now: number } // what `unclear` asked of the author is settled
  | { type: 'discharge'; by: string; now: number };

export type ObligationEffect =
  | { kind: 'knock'; to: string } // injected: the holder takes a turn
  | { kind: 'checkpoint'; to: string } // a person's inbox
  | { kind: 'open_back'; from: string }; // the author owes an explanation

export type ObligationStep =
  | { ok: true; obligation: ObligationFacts; effects: ObligationEffect[] }
  | { ok: false; reason: 'not_yours' | 'settled' | 'not_the_holder' };

export const newObligation = (
  given: Pick<ObligationFacts, 'authorId' | 'delegateId' | 'intervalMs'> & { recipientId: string; isBack?: boolean },
  now: number,
): ObligationFacts => ({
  authorId: given.authorId,
  delegateId: given.delegateId,
  holderId: given.recipientId,
  level: 0,
  intervalMs: given.intervalMs,
  createdAt: now,
  returns: 0,
  extended: false,
  nextAt: now + given.intervalMs,
  isBack: given.isBack === true,
  asksBack: false,
  open: true,
});

/** The first tick after `now`, counted from its creation: a restart neither sets it back nor makes up for what it missed. */
export const nextTick = ({ createdAt, intervalMs }: Pick<ObligationFacts, 'createdAt' | 'intervalMs'>, now: number): number =>
  createdAt + (Math.floor((now - createdAt) / intervalMs) + 1) * intervalMs;

export function stepObligation(
  obligation: ObligationFacts,
  event: ObligationEvent,
  ladder: Ladder,
  limits = obligationLimits,
): ObligationStep {
  const done = (change: Partial<ObligationFacts>, ...effects: ObligationEffect[]): ObligationStep => ({
    ok: true,
    obligation: { ...obligation, ...change },
    effects,
  });
  if (event.type === 'discharge') {
    if (event.by !== obligation.authorId && event.by !== obligation.delegateId) return { ok: false, reason: 'not_yours' };
    // Settled stays settled, however often somebody says so again.
    return done({ open: false, nextAt: null });
  }
  if (!obligation.open) return event.type === 'signal' ? { ok: false, reason: 'settled' } : done({});
  // It rests, and goes on doing so with the last person.
  const resumed = isWithPerson(obligation, ladder) ? null : nextTick(obligation, event.now);
  if (event.type === 'answered_back') return done({ asksBack: false, nextAt: resumed });
  if (event.type === 'due') {
    if (obligation.nextAt === null || event.now < obligation.nextAt) return done({});
    if (obligation.returns >= limits.returns) return escalate(obligation, ladder, event.now);
    return done({ returns: obligation.returns + 1, nextAt: nextTick(obligation, event.now) }, { kind: 'knock', to: obligation.holderId });
  }
  if (event.by !== obligation.holderId) return { ok: false, reason: 'not_the_holder' };
  switch (event.signal) {
    case 'working':
    case 'queued':
      // Once: the returns begin again. A second such answer changes no reminder.
      return obligation.extended ? done({}) : done({ extended: true, returns: 0, nextAt: obligation.nextAt === null ? null : resumed });
    case 'declined':
    case 'blocked':
      return escalate(obligation, ladder, event.now);
    case 'unclear':
      if (obligation.asksBack) return done({});
      // Two who do not understand each other would go on asking: somebody above them is asked instead.
      if (obligation.isBack) return escalate(obligation, ladder, event.now);
      // Until the author has explained, the holder is not asked again.
      return done({ asksBack: true, nextAt: null }, { kind: 'open_back', from: obligation.authorId });
    default:
      return done({});
  }
}

const isWithPerson = ({ level }: ObligationFacts, ladder: Ladder): boolean => level > 0 && ladder[level - 1]?.kind === 'human';

/** To the next above. With the last person it stays: a checkpoint that waits, and does not nag. */
function escalate(obligation: ObligationFacts, ladder: Ladder, now: number): ObligationStep {
  const above = ladder[obligation.level];
  if (!above) return { ok: true, obligation: { ...obligation, nextAt: null }, effects: [] };
  const isPerson = above.kind === 'human';
  return {
    ok: true,
    obligation: {
      ...obligation,
      holderId: above.id,
      level: obligation.level + 1,
      returns: 0,
      nextAt: isPerson ? null : nextTick(obligation, now),
    },
    effects: [{ kind: isPerson ? 'checkpoint' : 'knock', to: above.id }],
  };
}
