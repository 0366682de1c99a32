// Triggers, the same checks written by hand, and the same rules for another engine: for measurements. Four kinds of
// threshold, in the words of the published scenarios.

import type { RuleProperties } from 'json-rules-engine';
import { type Filter, type PapEvent, Trigger } from '../packages/protocol/src/index.ts';
import { uncheckedPatterns, type CompiledTrigger, compileTrigger } from '../packages/core/src/provoke/index.ts';

type Data = Record<string, unknown>;
interface Kind {
  filters: (i: number) => [name: string, operator: Filter['operator'], value: string | number][];
  byHand: (i: number) => (data: Data) => boolean;
  data: (i: number) => Data;
}

const kinds: Kind[] = [
  {
    filters: (i) => [['price', 'gt', i % 7], ['region', 'eq', `NO${i % 5}`]], // prettier-ignore
    byHand: (i) => {
      const [least, region] = [i % 7, `NO${i % 5}`];
      return ({ price, region: found }) => typeof price === 'number' && price > least && found === region;
    },
    data: (i) => ({ price: 8.82, threshold: 3, region: `NO${i % 5}`, forecast_hours: 6 }),
  },
  {
    filters: (i) => [['ticker', 'eq', `T${i % 9}`], ['drop_percent', 'gte', 5]], // prettier-ignore
    byHand: (i) => {
      const ticker = `T${i % 9}`;
      return ({ ticker: found, drop_percent: drop }) => found === ticker && typeof drop === 'number' && drop >= 5;
    },
    data: (i) => ({ ticker: `T${i % 9}`, drop_percent: 6.2, price_current: 284.1, price_open: 302.9 }),
  },
  {
    filters: () => [['days_since_edit', 'gte', 180]],
    byHand:
      () =>
      ({ days_since_edit: days }) =>
        typeof days === 'number' && days >= 180,
    data: (i) => ({ article_id: `kb-${i}`, title: 'How to configure it', days_since_edit: 182 }),
  },
  {
    filters: () => [['priority', 'eq', 'high'], ['hours', 'gte', 4]], // prettier-ignore
    byHand:
      () =>
      ({ priority, hours }) =>
        priority === 'high' && typeof hours === 'number' && hours >= 4,
    data: (i) => ({ ticket_id: `tck-${i}`, priority: 'high', hours: 4.2, customer_id: 'cust_4421' }),
  },
];
const kindOf = (i: number): Kind => kinds[i % kinds.length]!;

function compiled(id: string, type: string, filter: unknown[]): CompiledTrigger {
  const made = compileTrigger(Trigger.parse({ id, match: { type, filter }, agent: 'planner-v1' }), uncheckedPatterns);
  if (!made.ok) throw new Error(JSON.stringify(made.problems));
  return made.value;
}

/** As it comes out of a request. */
const eventOf = (type: string, data: Data): PapEvent =>
  JSON.parse(JSON.stringify({ pap_version: '0.2', id: 'evt_1', type, source: 'monitors', time: '2026-03-11T06:00:00Z', data })) as PapEvent;

export interface ManyTypes {
  triggers: CompiledTrigger[];
  byHand: Map<string, ((data: Data) => boolean)[]>;
  rules: RuleProperties[];
  events: PapEvent[];
}

const names = { eq: 'equal', gt: 'greaterThan', gte: 'greaterThanInclusive' } as Record<string, string>;

/** Three triggers on each type, which all match its event. */
export function manyTypes(count: number): ManyTypes {
  const made: ManyTypes = { triggers: [], byHand: new Map(), rules: [], events: [] };
  for (let i = 0; i < count; i++) {
    const of = Math.floor(i / 3);
    const [type, id, kind] = [`bench.threshold.crossed_${of}`, `t${i}`, kindOf(of)];
    const filters = kind.filters(of);
    made.triggers.push(compiled(id, type, filters.map(([name, operator, value]) => ({ path: `$.data.${name}`, operator, value })))); // prettier-ignore
    const checks = made.byHand.get(type) ?? [];
    checks.push(kind.byHand(of));
    made.byHand.set(type, checks);
    made.rules.push({
      conditions: {
        all: [
          { fact: 'type', operator: 'equal', value: type },
          ...filters.map(([name, operator, value]) => ({ fact: 'data', path: `$.${name}`, operator: names[operator]!, value })),
        ],
      },
      event: { type: id },
    });
    if (i % 3 === 2) made.events.push(eventOf(type, kind.data(of)));
  }
  return made;
}

/** All on one type: fifty regions, and in each of them as many price bands as it takes. An event matches one. */
export function oneType(count: number, events: number): { triggers: CompiledTrigger[]; events: PapEvent[] } {
  const bands = count / 50;
  const type = 'energy.price.threshold_exceeded';
  return {
    triggers: Array.from({ length: count }, (_, i) =>
      compiled(`t${i}`, type, [
        { path: '$.data.region', operator: 'eq', value: `R${i % 50}` },
        { path: '$.data.price', operator: 'gte', value: Math.floor(i / 50) },
        { path: '$.data.price', operator: 'lt', value: Math.floor(i / 50) + 1 },
      ]),
    ),
    events: Array.from({ length: events }, (_, i) => eventOf(type, { region: `R${i % 50}`, price: ((i * 7) % bands) + 0.5, threshold: 3 })),
  };
}
