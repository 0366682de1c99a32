// An obligation (C2A-31): somebody cannot continue until somebody else answers. A question that is only delivered can be forgotten, so an
// obligation reminds its holder at a fixed interval, and after three reminders moves up the ladder. It never expires: only its author,
// or their delegate, can settle it.

import type { Signal } from '../attention/signal.ts';

export interface ObligationLimits {
  intervalMs: number;
  /** Reminders of one holder before the obligation moves up. */
  returns: number;
}
export const obligationLimits: ObligationLimits = { intervalMs: 15 * 60_000, returns: 3 };

export interface ObligationFacts {
  authorId: string;
  /** Another member who may settle it for the author. */
  delegateId: string | null;
  /** The member who is reminded now. `level` is the step on the ladder; 0 is the recipient. */
  holderId: string;
  level: number;
  intervalMs: number;
  createdAt: number;
  /** Reminders of this holder so far. */
  returns: number;
  /** The holder has postponed it, which is possible once. */
  extended: boolean;
  /** The time of the next reminder. Null: it is settled, has reached the last person, or waits for an explanation of the author. */
  nextAt: number | null;
  /** This obligation is the question that a holder asked back. */
  isBack: boolean;
  /** The holder has asked back and waits for the answer. */
  asksBack: boolean;
  open: boolean;
}

/** The members above the recipient, nearest first, a person last. */
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
  opening: Pick<ObligationFacts, 'authorId' | 'delegateId' | 'intervalMs'> & { recipientId: string; isBack?: boolean },
  now: number,
): ObligationFacts => ({
  authorId: opening.authorId,
  delegateId: opening.delegateId,
  holderId: opening.recipientId,
  level: 0,
  intervalMs: opening.intervalMs,
  createdAt: now,
  returns: 0,
  extended: false,
  nextAt: now + opening.intervalMs,
  isBack: opening.isBack === true,
  asksBack: false,
  open: true,
});

/** The first tick after `now`. Ticks count from the creation, so that a restart neither delays nor repeats reminders. */
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
    // It may be settled again without an effect.
    return done({ open: false, nextAt: null });
  }
  if (!obligation.open) return event.type === 'signal' ? { ok: false, reason: 'settled' } : done({});
  // With a person it sends no reminders.
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
      // The first such answer resets the reminders; a second one changes nothing.
      return obligation.extended ? done({}) : done({ extended: true, returns: 0, nextAt: obligation.nextAt === null ? null : resumed });
    case 'declined':
    case 'blocked':
      return escalate(obligation, ladder, event.now);
    case 'unclear':
      if (obligation.asksBack) return done({});
      // Two members who do not understand each other would ask for ever, so it moves up.
      if (obligation.isBack) return escalate(obligation, ladder, event.now);
      // The holder gets no reminders until the author has explained.
      return done({ asksBack: true, nextAt: null }, { kind: 'open_back', from: obligation.authorId });
    default:
      return done({});
  }
}

const isWithPerson = ({ level }: ObligationFacts, ladder: Ladder): boolean => level > 0 && ladder[level - 1]?.kind === 'human';

/** Moves it to the next member above. With the last person it stays a checkpoint without reminders. */
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
