// Which constraint binds: the one, or the smallest set, whose relaxation makes the most starts possible.

import { addBits, type Bits, bitsWithout, countBits, hasBit, positionsOf } from './bits.ts';
import { constraintKinds, type MeetingConstraint } from './meeting.ts';
import type { FormatPlan } from './availability.ts';

export interface Gain {
  constraints: MeetingConstraint[];
  /** The starts that it makes possible, by plan. */
  startsOf: (plan: FormatPlan) => Bits;
  count: number;
}

/** The most useful first; of equal ones the one that is cheapest to give up. */
export function gainsOf(plans: readonly FormatPlan[], possible: Bits): Gain[] {
  const found = new FoundGains(possible);
  for (const plan of plans) addSingleGains(found, plan, possible);
  let gains = found.list();
  if (gains.length === 0 && countBits(possible) === 0) gains = jointGains(plans, possible).list();
  const cost = ({ constraints }: Gain): number => Math.max(...constraints.map(({ kind }) => constraintKinds.indexOf(kind)));
  return gains.sort((a, b) => b.count - a.count || cost(a) - cost(b));
}

class FoundGains {
  readonly #none: Bits;
  readonly #sets = new Map<string, { constraints: MeetingConstraint[]; starts: Map<FormatPlan, Bits> }>();

  constructor(like: Bits) {
    this.#none = like.map(() => 0);
  }

  add(constraints: readonly MeetingConstraint[], plan: FormatPlan, starts: Bits): void {
    const key = JSON.stringify(constraints.map(({ who, kind }) => [kind, who]));
    const set = this.#sets.get(key) ?? {
      constraints: constraints.map(({ who, kind }) => ({ who, kind })),
      starts: new Map<FormatPlan, Bits>(),
    };
    const inPlan = set.starts.get(plan) ?? this.#none.slice();
    addBits(inPlan, starts);
    set.starts.set(plan, inPlan);
    this.#sets.set(key, set);
  }

  clear(): void {
    this.#sets.clear();
  }

  list(): Gain[] {
    return [...this.#sets.values()]
      .map(({ constraints, starts }) => {
        const union = this.#none.slice();
        for (const inPlan of starts.values()) addBits(union, inPlan);
        return { constraints, startsOf: (plan: FormatPlan) => starts.get(plan) ?? this.#none, count: countBits(union) };
      })
      .filter(({ count }) => count > 0);
  }
}

/** A start that exactly one constraint forbids is gained by relaxing it. Two planes of bits count up to two for all starts at once. */
function addSingleGains(found: FoundGains, plan: FormatPlan, possible: Bits): void {
  const [once, twice] = [plan.fitting.map(() => 0), plan.fitting.map(() => 0)];
  for (const { starts } of plan.constraints) {
    for (let word = 0; word < once.length; word++) {
      const forbidden = plan.fitting[word]! & ~starts[word]!;
      twice[word]! |= once[word]! & forbidden;
      once[word]! |= forbidden;
    }
  }
  const exactlyOnce = bitsWithout(bitsWithout(once, twice), possible);
  for (const constraint of plan.constraints) found.add([constraint], plan, bitsWithout(exactlyOnce, constraint.starts));
}

/** Where no single relaxation helps: the sets of constraints that forbid those starts that the fewest forbid. */
function jointGains(plans: readonly FormatPlan[], like: Bits): FoundGains {
  const found = new FoundGains(like);
  let fewest = Infinity;
  for (const plan of plans) {
    for (const start of positionsOf(plan.fitting)) {
      const against = plan.constraints.filter(({ starts }) => !hasBit(starts, start));
      if (against.length > fewest) continue;
      if (against.length < fewest) found.clear();
      fewest = against.length;
      const only = like.map(() => 0);
      only[start >>> 5] = 1 << (start & 31);
      found.add(against, plan, only);
    }
  }
  return found;
}
