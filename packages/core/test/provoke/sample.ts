// For the tests here: events and triggers with everything in them that a test does not care about.

import { type Filter, Manifest, type PapEvent, Trigger } from '@parley/protocol';
import { directPatterns } from '../../src/provoke/triggers/regex.ts';
import { type CompiledTrigger, compileTrigger } from '../../src/provoke/triggers/trigger.ts';

/** Regexes are asked at once: here nobody else waits. */
export const patterns = directPatterns();

export const eventOf = (data: Record<string, unknown> = {}, more: Partial<PapEvent> = {}): PapEvent => ({
  pap_version: '0.2',
  id: 'evt_1',
  type: 'energy.price.threshold_exceeded',
  source: 'monitoring.energy-price-tracker',
  time: '2026-03-11T06:00:00Z',
  data,
  ...more,
});

const triggerOf = (more: object = {}, filter: unknown[] = []): Trigger =>
  Trigger.parse({ id: 'planner', match: { type: 'energy.price.threshold_exceeded', filter }, agent: 'planner-v1', ...more });

export function compiledOf(more: object = {}, filter: unknown[] = [], owner = ''): CompiledTrigger {
  const compiled = compileTrigger(triggerOf(more, filter), patterns, undefined, owner);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.problems));
  return compiled.value;
}

export const on = (path: string, operator: string, value?: unknown): Filter =>
  ({ path, operator, ...(value === undefined ? {} : { value }) }) as Filter;

export const manifestOf = (more: object = {}): Manifest => Manifest.parse({ id: 'planner-v1', risk_level: 'low', ...more });
