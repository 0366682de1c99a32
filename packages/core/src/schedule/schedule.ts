// Finds a common time: the best windows, and which constraint to relax where there are few.

import { availabilityOf, dayNumber, horizonOf, planFormat } from './availability.ts';
import { addBits, countBits, emptyBits, retainBits } from './bits.ts';
import type { MeetingOptions, MeetingRequest } from './meeting.ts';
import { pickWindows, rankStarts, type Ranking, windowOf } from './ranking.ts';
import { gainsOf } from './relaxations.ts';

const mostWindows = 10;
const mostRelaxations = 5;
export const longestHorizonDays = 92;
export const mostMeetingFormats = 8;

/**
 * The search tries every day and time of the horizon and every format before it gives up (A2C-18). Wishes that are flexible only cost
 * points; wishes that are not are conditions, and appear among the relaxations.
 */
export function findMeetingWindows({ from, to, participants, formats }: MeetingRequest): MeetingOptions {
  const horizon = horizonOf(from, to);
  if (!(to > from) || to - from > longestHorizonDays * 86_400_000) {
    throw new RangeError(`A search covers up to ${longestHorizonDays} days; this one goes from ${from} to ${to}.`);
  }
  if (participants.length === 0 || formats.length === 0 || formats.length > mostMeetingFormats) {
    throw new RangeError(`A search needs participants, and 1 to ${mostMeetingFormats} formats; it got ${formats.length}.`);
  }
  const endless = formats.find(({ minutes }) => !(minutes > 0));
  if (endless) throw new RangeError(`A meeting takes some minutes; ${endless.name} takes ${endless.minutes}.`);
  const people = participants.map((participant) => availabilityOf(participant, horizon));
  const plans = formats.map((format, rank) => planFormat(format, rank, people, horizon));
  const wishedDays = [...new Set(participants.flatMap(({ dates = [] }) => dates.map(dayNumber)))];
  const ranking: Ranking = { horizon, offsets: participants[0]!.offsets, wishedDays };

  const possible = emptyBits(horizon.quarters);
  for (const plan of plans) addBits(possible, plan.possible);
  const asAsked = plans[0]!.possible.slice();
  for (const { starts } of plans[0]!.wishes) retainBits(asAsked, starts);

  return {
    windows: pickWindows(
      rankStarts(plans, (plan) => plan.possible, ranking),
      mostWindows,
      ranking,
    ).map((one) => windowOf(one, ranking, plans)),
    starts: countBits(possible),
    startsAsAsked: countBits(asAsked),
    relaxations: gainsOf(plans, possible)
      .slice(0, mostRelaxations)
      .map(({ constraints, startsOf, count }) => ({
        constraints,
        starts: count,
        best: windowOf(rankStarts(plans, startsOf, ranking)[0]!, ranking, plans),
      })),
  };
}
