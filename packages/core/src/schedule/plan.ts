// One format's plan: at which starts every condition holds, and which wishes a start keeps.

import { type Availability, allQuarters, formatMask, type Horizon, quarter, travelMask } from './availability.ts';
import { type Bits, retainBits, runsOf } from './bits.ts';
import type { Flexibility, MeetingConstraint, MeetingFormat, WindowReason } from './meeting.ts';

export interface PlannedConstraint extends MeetingConstraint {
  /** The starts that it allows. */
  starts: Bits;
}

export interface PlannedWish {
  who: string;
  wish: WindowReason['wish'];
  weight: number;
  /** The starts that keep it. */
  starts: Bits;
}

export interface FormatPlan {
  format: MeetingFormat;
  /** How many formats were rather wanted. */
  rank: number;
  quarters: number;
  /** The starts from which the meeting fits into the horizon. */
  fitting: Bits;
  /** The starts that every constraint allows. */
  possible: Bits;
  constraints: PlannedConstraint[];
  wishes: PlannedWish[];
}

type SoftFlexibility = Exclude<Flexibility, 'not_flexible'>;
const weights: Record<WindowReason['wish'], Record<SoftFlexibility, number>> = {
  date: { somewhat_flexible: 40, flexible: 10 },
  time: { somewhat_flexible: 30, flexible: 8 },
  format: { somewhat_flexible: 30, flexible: 8 },
};

export function planFormat(format: MeetingFormat, rank: number, people: readonly Availability[], horizon: Horizon): FormatPlan {
  const quarters = Math.ceil((format.minutes * 60_000) / quarter);
  const all = allQuarters(horizon);
  const fitting = runsOf(all, quarters);
  const never = all.map(() => 0);
  const constraints: PlannedConstraint[] = [];
  const wishes: PlannedWish[] = [];
  for (const { participant, hours, free, wishes: wished } of people) {
    const who = participant.id;
    const demand = (kind: MeetingConstraint['kind'], bits: Bits): void => {
      constraints.push({ who, kind, starts: runsOf(bits, quarters) });
    };
    const take = (wish: WindowReason['wish'], flexibility: Flexibility, bits: Bits): void => {
      if (flexibility === 'not_flexible') demand(wish, bits);
      else wishes.push({ who, wish, weight: weights[wish][flexibility], starts: runsOf(bits, quarters) });
    };
    demand('busy', free);
    demand('hours', hours);
    const travel = travelMask(participant, format, horizon);
    if (travel) demand('travel', travel);
    for (const { kind, flexibility, bits } of wished) take(kind, flexibility, bits);
    const flexibility = participant.flexibility?.format ?? 'somewhat_flexible';
    const isWished = participant.formats?.includes(format.name) ?? true;
    const byFormat = isWished || flexibility !== 'not_flexible' ? formatMask(participant, format, horizon) : never;
    if (byFormat) demand('format', byFormat);
    if (participant.formats && flexibility !== 'not_flexible') take('format', flexibility, isWished ? all : never);
  }
  const possible = fitting.slice();
  for (const { starts } of constraints) retainBits(possible, starts);
  return { format, rank, quarters, fitting, possible, constraints, wishes };
}
