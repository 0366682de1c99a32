// Measures an event before anything is written: which of many triggers it matches, against the same checks written by hand
// and against a rules engine that people use for this.

import { Engine } from 'json-rules-engine';
import { directPatterns, triggerSet } from '../../packages/core/src/provoke/index.ts';
import type { PapEvent } from '../../packages/protocol/src/index.ts';
import type { Scenario } from '../kit.ts';
import { median, perSecond, percent, times } from '../stats.ts';
import { manyTypes, oneType } from '../triggers.ts';

/** Events per second; each of them has to find as many as it should. */
function rate(forMs: number, events: readonly PapEvent[], expected: number, match: (event: PapEvent) => unknown[]): number {
  let [done, at] = [0, 0];
  const began = performance.now();
  while (performance.now() - began < forMs) {
    for (let i = 0; i < 200; i++) {
      if (match(events[at]!).length !== expected) throw new Error(`Not ${expected} triggers matched`);
      at = at + 1 === events.length ? 0 : at + 1;
    }
    done += 200;
  }
  return done / ((performance.now() - began) / 1000);
}

/** The engine takes the better part of a second for one event: a few are enough. */
async function engineRate(engine: Engine, events: readonly PapEvent[], runs: number): Promise<number> {
  const began = performance.now();
  for (let i = 0; i < runs; i++) {
    const { type, data } = events[(i * 31) % events.length]!;
    const { events: found } = await engine.run({ type, data });
    if (found.length !== 3) throw new Error('Not 3 rules matched');
  }
  return runs / ((performance.now() - began) / 1000);
}

export const provoke: Scenario = async ({ quick }) => {
  const [forMs, rounds, count] = quick ? [100, 5, 999] : [400, 11, 9999];
  const { triggers, byHand, rules, events } = manyTypes(count);
  const patterns = directPatterns();
  const set = triggerSet(triggers);
  const ours = (event: PapEvent) => set.matching(event, patterns);
  const hand = ({ type, data }: PapEvent) => {
    const held: unknown[] = [];
    const checks = byHand.get(type);
    if (checks) for (const check of checks) if (check(data)) held.push(check);
    return held;
  };
  const few = oneType(100, 250);
  const many = oneType(10_000, 250);
  const [fewSet, manySet] = [triggerSet(few.triggers), triggerSet(many.triggers)];
  const found = {
    ours: [] as number[],
    hand: [] as number[],
    floor: [] as number[],
    few: [] as number[],
    many: [] as number[],
    cost: [] as number[],
  };
  for (let round = 0; round <= rounds; round++) {
    const one = {
      ours: rate(forMs, events, 3, ours),
      hand: rate(forMs, events, 3, hand),
      few: rate(forMs, few.events, 1, (event) => fewSet.matching(event, patterns)),
      many: rate(forMs, many.events, 1, (event) => manySet.matching(event, patterns)),
    };
    // The first round is for the compiler.
    if (round === 0) continue;
    for (const name of ['ours', 'hand', 'few', 'many'] as const) found[name].push(one[name]);
    // Within a round, because what else the machine does changes between them.
    found.floor.push(one.ours / one.hand);
    found.cost.push(one.few / one.many);
  }
  const engine = new Engine(rules);
  const engines = await engineRate(engine, events, quick ? 3 : 5);
  const [floor, cost, against] = [median(found.floor), median(found.cost), median(found.ours) / engines];
  return [
    {
      what: `Events against ${count.toLocaleString('en')} triggers of different types, 3 of which match, against json-rules-engine on the same rules`,
      result: times(against),
      target: { text: '≥ 1,000 ×', met: against >= 1000 },
      from: `${perSecond(median(found.ours))} against ${engines.toFixed(2)}/s`,
    },
    {
      what: 'The same, against the same checks written by hand after looking up the type',
      result: percent(floor),
      target: { text: '≥ 50 %', met: floor >= 0.5 },
      from: `${perSecond(median(found.ours))} against ${perSecond(median(found.hand))} (medians of ${rounds} rounds in turns)`,
    },
    {
      what: 'An event against 10,000 triggers on one type that differ by value and range, compared with 100 of them',
      result: times(cost),
      target: { text: '≤ 1.5 ×', met: cost <= 1.5 },
      from: `${perSecond(median(found.few))} with 100, ${perSecond(median(found.many))} with 10,000; one matches (medians of ${rounds} rounds in turns)`,
    },
  ];
};
