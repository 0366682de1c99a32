// When a cron expression comes, worked out once: to find a slot in a time zone takes a millisecond, hundreds of schedules are
// due in the same minute, and whatever a command is decided from is asked for again each time it is decided.

import { Cron } from 'croner';

export interface Slots {
  /** The first slot after a time; null: there is none any more. */
  next: (after: number) => number | null;
  /** The last slot up to and at a time. */
  latest: (until: number) => number | null;
}

const minute = 60_000;
const mostKept = 1000;
const kept = new Map<string, Slots>();

/** Equal expressions share their slots. Throws for a text that is no expression. */
export function slotsOf(expression: string, zone: string): Slots {
  const name = `${zone} ${expression}`;
  const known = kept.get(name);
  if (known) return known;
  const made = slots(new Cron(expression, { timezone: zone, mode: '5-part', paused: true }));
  if (kept.size >= mostKept) kept.clear();
  kept.set(name, made);
  return made;
}

/** Slots are whole minutes, so that within one the answers are the same. */
function slots(cron: Cron): Slots {
  return {
    next: once((at) => cron.nextRun(new Date(at * minute))?.getTime() ?? null),
    // The library looks strictly before.
    latest: once((at) => cron.previousRuns(1, new Date((at + 1) * minute))[0]?.getTime() ?? null),
  };
}

/** By the minute, and only the last one asked for: time goes on. */
function once(of: (at: number) => number | null): (time: number) => number | null {
  let last: { at: number; slot: number | null } | undefined;
  return (time) => {
    const at = Math.floor(time / minute);
    if (last?.at !== at) last = { at, slot: of(at) };
    return last.slot;
  };
}
