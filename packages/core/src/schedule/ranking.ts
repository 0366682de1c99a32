// Which of the possible starts are the best, as whole numbers, so that every machine ranks them alike.

import { type Horizon, offsetAt, quarter, type FormatPlan } from './availability.ts';
import { type Bits, hasBit, positionsOf } from './bits.ts';
import type { MeetingWindow, ZoneOffset } from './meeting.ts';

const perRank = 20;
const perDay = 1;
/** The day before or after a wished one is nearer to the wish than today. */
const perDayAway = 3;
/** People agree on 19:00 rather than on 18:45. */
const perQuarter = [0, 3, 1, 3] as const;
const day = 86_400_000;

export interface RankedStart {
  plan: FormatPlan;
  start: number;
  cost: number;
}

export interface Ranking {
  horizon: Horizon;
  /** The zone whose clock decides what is round, and what a day is. */
  offsets: readonly ZoneOffset[];
  /** Local days since 1970-01-01 that somebody wishes. */
  wishedDays: readonly number[];
}

const daysIn = ({ quarters }: Horizon): number => Math.floor((quarters * quarter) / day);

const dayAt = ({ offsets }: Pick<Ranking, 'offsets'>, time: number): number => Math.floor((time + offsetAt(offsets, time) * 60_000) / day);

function daysAway(ranking: Ranking, time: number): number {
  const { wishedDays, horizon } = ranking;
  if (wishedDays.length === 0) return 0;
  const on = dayAt(ranking, time);
  return Math.min(daysIn(horizon), ...wishedDays.map((wished) => Math.abs(on - wished)));
}

/** The cheapest first; of equal ones the earliest, then the one in the format that was rather wanted. */
export function rankStarts(plans: readonly FormatPlan[], startsOf: (plan: FormatPlan) => Bits, ranking: Ranking): RankedStart[] {
  const { horizon, offsets } = ranking;
  const ranked = plans.flatMap((plan) =>
    positionsOf(startsOf(plan)).map((start): RankedStart => {
      const time = horizon.from + start * quarter;
      const quarterOfHour = Math.floor((time / 60_000 + offsetAt(offsets, time)) / 15) & 3;
      const late = Math.floor((time - horizon.from) / day) * perDay + daysAway(ranking, time) * perDayAway;
      let cost = plan.rank * perRank + late + perQuarter[quarterOfHour]!;
      for (const { starts, weight } of plan.wishes) if (!hasBit(starts, start)) cost += weight;
      return { plan, start, cost };
    }),
  );
  return ranked.sort((a, b) => a.cost - b.cost || a.start - b.start || a.plan.rank - b.plan.rank);
}

/** Takes windows that do not overlap, at first at most two on one day, so that a person has a real choice. */
export function pickWindows(ranked: readonly RankedStart[], most: number, ranking: Ranking): RankedStart[] {
  const picked: RankedStart[] = [];
  const ofDay = new Map<number, number>();
  const dayOf = ({ start }: RankedStart): number => dayAt(ranking, ranking.horizon.from + start * quarter);
  const overlaps = (a: RankedStart, b: RankedStart): boolean => a.start < b.start + b.plan.quarters && b.start < a.start + a.plan.quarters;
  for (const mostOfDay of [2, Infinity]) {
    for (const one of ranked) {
      if (picked.length >= most) break;
      const on = dayOf(one);
      if ((ofDay.get(on) ?? 0) >= mostOfDay || picked.some((other) => overlaps(one, other))) continue;
      ofDay.set(on, (ofDay.get(on) ?? 0) + 1);
      picked.push(one);
    }
  }
  return picked.sort((a, b) => a.cost - b.cost || a.start - b.start || a.plan.rank - b.plan.rank);
}

export function windowOf(
  { plan, start, cost }: RankedStart,
  { horizon, wishedDays }: Ranking,
  plans: readonly FormatPlan[],
): MeetingWindow {
  const worst =
    Math.max(...plans.map(({ rank, wishes }) => rank * perRank + wishes.reduce((sum, { weight }) => sum + weight, 0))) +
    daysIn(horizon) * (perDay + (wishedDays.length > 0 ? perDayAway : 0)) +
    Math.max(...perQuarter);
  const from = horizon.from + start * quarter;
  return {
    from,
    to: from + plan.quarters * quarter,
    format: plan.format.name,
    score: Math.round(100 * (1 - cost / worst)),
    reasons: plan.wishes.map(({ who, wish, starts }) => ({ who, wish, isKept: hasBit(starts, start) })),
  };
}
