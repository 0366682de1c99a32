// Compiles the rest of a document that has the wrong form somewhere, so that its author gets all problems at once. A
// placeholder without problems replaces each part that is missing or of the wrong type; only problems come of it.

import { FilterFrame, filterOperators, Manifest, plainErrors, type Problem, problemsOf, type ProvokeDocument } from '@parley/protocol';
import { stepInto } from '../triggers/event-path.ts';

const at = (value: unknown, ...path: string[]): unknown => path.reduce(stepInto, value);
/** No longer, and no more, than the schema lets through: compiling is not free. */
const text = <T>(value: unknown, instead: T): string | T => (typeof value === 'string' && value.length <= 500 ? value : instead);
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]).slice(0, 50) : []);

export function parsePartially(value: unknown): Pick<ProvokeDocument, 'trigger' | 'agent' | 'schedule' | 'absence'> {
  const parts = {
    trigger: (one: unknown) => ({
      match: { filter: filtersIn(one) },
      throttle: { window_key: text(at(one, 'throttle', 'window_key'), undefined) },
    }),
    agent: (one: unknown) => ({
      risk_level: 'low',
      tools: list(at(one, 'tools')).map((tool) => ({ name: text(at(tool, 'name'), '') })),
      on_complete: { emit_event: text(at(one, 'on_complete', 'emit_event'), undefined) },
      on_failure: { emit_event: text(at(one, 'on_failure', 'emit_event'), undefined) },
      output: Manifest.shape.output.safeParse(at(one, 'output')).data ?? { type: 'text' },
    }),
    schedule: (one: unknown) => ({
      cron: text(at(one, 'cron'), '@daily'),
      time_zone: text(at(one, 'time_zone'), 'UTC'),
      emit: { type: text(at(one, 'emit', 'type'), '') },
    }),
    absence: (one: unknown) => ({
      match: { type: text(at(one, 'match', 'type'), ''), filter: filtersIn(one) },
      key: text(at(one, 'key'), undefined),
      emit: { type: text(at(one, 'emit', 'type'), '') },
    }),
  };
  const present = Object.entries(parts).filter(([name]) => isObject(at(value, name)));
  return Object.fromEntries(present.map(([name, read]) => [name, read(at(value, name))]));
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The filters in order; a compared value matters only where it is a pattern. */
const filtersIn = (part: unknown): object[] =>
  list(at(part, 'match', 'filter')).map((filter) => {
    const path = text(at(filter, 'path'), '$');
    const value = at(filter, 'value');
    return at(filter, 'operator') === 'regex' && typeof value === 'string'
      ? { path, operator: 'regex', value }
      : { path, operator: 'exists', value: true };
  });

/** The schema looks at a filter by its operator: where it is none, at nothing else. */
export const unseenIn = (value: unknown): Problem[] =>
  ['trigger', 'absence'].flatMap((part) =>
    list(at(value, part, 'match', 'filter')).flatMap((filter, i) => {
      if (!isObject(filter) || filterOperators.some((one) => one === at(filter, 'operator'))) return [];
      const framed = FilterFrame.safeParse(filter, plainErrors);
      return framed.success ? [] : problemsOf(framed.error, `${part}.match.filter.${i}`);
    }),
  );
