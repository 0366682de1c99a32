// A dry run (PRV-16): what a trigger would do with an event, step by step and without doing it. The verdict is the
// pipeline's own and is only put into words here, so that a dry run cannot say one thing and the hub do another.

import type { PapEvent } from '@parley/protocol';
import { chainLimits } from '../../task/chain.ts';
import { timeText } from '../../units/time.ts';
import { ask } from '../triggers/filter-operators.ts';
import type { CompiledFilter, CompiledTrigger } from '../triggers/trigger.ts';
import type { Patterns } from '../triggers/regex.ts';
import { accepts } from '../events/event.ts';
import {
  decide,
  matchOf,
  type PipelineRecord,
  type StepName,
  steps,
  type StopReason,
  type UnmatchedTrigger,
  type PipelineVerdict,
} from './pipeline.ts';
import { bucketOf, sharedBucket } from '../events/throttle.ts';

export interface DryRunStep {
  step: StepName;
  state: 'passed' | 'stopped' | 'not_reached';
  text: string;
}
export interface FailedFilter {
  path: string;
  operator: string;
  value: unknown;
  /** Undefined: nothing is there. */
  found: unknown;
}
export interface DryRun {
  verdict: PipelineVerdict;
  steps: DryRunStep[];
  filters: (FailedFilter & { holds: boolean })[];
}

const longestShown = 200;
/** The shown beginnings of objects of events and filters, which are shown again and again, and lie in each other. */
const starts = new WeakMap<object, string>();

/** The value as JSON, as far as it is shown and one letter more. */
function startOf(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, longestShown + 1));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const before = starts.get(value);
  if (before !== undefined) return before;
  const [first, last] = Array.isArray(value) ? '[]' : '{}';
  let text = first!;
  for (const name of Object.keys(value)) {
    if (text.length > longestShown) break;
    if (text !== first) text += ',';
    text += `${first === '{' ? `${JSON.stringify(name)}:` : ''}${startOf((value as Record<string, unknown>)[name])}`;
  }
  const start = `${text}${last}`.slice(0, longestShown + 1);
  starts.set(value, start);
  return start;
}

/** A long value is cut to text: the caller has the whole of it, and fifty filters may look at the same one. */
function shown(value: unknown): unknown {
  if (typeof value === 'string') return cut(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  return cut(startOf(value)) ?? value;
}

const cut = (text: string): string | undefined =>
  text.length > longestShown ? `${text.slice(0, longestShown)}…`.toWellFormed() : undefined;

const shownFilter = ({ filter, path }: CompiledFilter, event: PapEvent): FailedFilter => ({
  path: filter.path,
  operator: filter.operator,
  value: shown(filter.value),
  found: shown(path.read(event)),
});

/** Which filter it was and what it found, by what {@link matchOf} said; undefined: it is not a filter that stops the event. */
export function failedFilter(compiled: CompiledTrigger, event: PapEvent, matched: UnmatchedTrigger | null): FailedFilter | undefined {
  if (typeof matched !== 'object' || matched === null) return undefined;
  const failed = compiled.filters[matched.filter];
  return failed && shownFilter(failed, event);
}

/** Asks every search of a dry run: first those that decide, then those that are only shown. */
export function asksOf(compiled: CompiledTrigger, event: PapEvent, patterns: Patterns): void {
  matchOf(compiled, event, patterns);
  for (const { check } of compiled.filters) ask(check, event, patterns);
}

export function dryRun(compiled: CompiledTrigger, event: PapEvent, on: PipelineRecord, patterns: Patterns): DryRun {
  const matched = matchOf(compiled, event, patterns, accepts(compiled.trigger, compiled.owner, on.sender));
  const verdict = decide(compiled, event, on, matched);
  const last = steps.indexOf(verdict.step);
  const filters = compiled.filters.map((one) => ({ ...shownFilter(one, event), holds: ask(one.check, event, patterns) === true }));
  const stopped = (reason: StopReason): string => stopWords(reason, verdict, compiled, event, failedFilter(compiled, event, matched));
  const dryRunSteps = steps.map((step, i): DryRunStep => {
    if (i > last) return { step, state: 'not_reached', text: '' };
    if (i === last && verdict.reason !== null) return { step, state: 'stopped', text: stopped(verdict.reason) };
    return { step, state: 'passed', text: passWords(step, verdict, compiled, event) };
  });
  return { verdict, steps: dryRunSteps, filters };
}

function stopWords(
  reason: StopReason,
  { until, risk, asks }: PipelineVerdict,
  compiled: CompiledTrigger,
  event: PapEvent,
  filter: FailedFilter | undefined,
): string {
  const { trigger } = compiled;
  const words: Record<StopReason, () => string> = {
    type: () => `It waits for ${trigger.match.type}, and this is ${event.type}.`,
    disabled: () => (trigger.enabled ? 'Its owner is not there, or may not have triggers any more.' : 'It is switched off.'),
    too_slow: () =>
      'A regex or contains took too long on this event, or those of its owner had used up their time. Simplify it, or match a shorter text.',
    filter: () =>
      filter === undefined ? 'A filter does not hold.' : `${filter.path} ${filter.operator} ${JSON.stringify(filter.value)} does not hold.`,
    sender: () => 'Another member sent it. To take events that other members send, write accept: members.',
    duplicate: () => `The event ${event.id} has reached this trigger before.`,
    too_deep: () => 'Too many invocations or hops came before it in its chain.',
    chain_full: () => `Invocations of its chain have started ${chainLimits.maxTasks} others of the same owner, which is the limit.`,
    unknown_invocation: () => `It says that ${String(event.triggered_by)} emitted it, which is not on record.`,
    throttled: () => `${atMost(compiled, event)}; there is room again at ${timeText(until ?? 0)}.`,
    no_manifest: () => `There is no manifest ${trigger.agent}.`,
    needs_approval: () =>
      asks === 'mode'
        ? 'The mode of its agent requires approval.'
        : `The risk is ${risk?.level ?? 'high'}: a person has to approve it first.`,
  };
  return words[reason]();
}

function passWords(step: StepName, { risk, place }: PipelineVerdict, compiled: CompiledTrigger, event: PapEvent): string {
  const count = compiled.filters.length;
  const words: Record<StepName, () => string> = {
    match: () => (count === 0 ? 'The type is the same; there are no filters.' : `The type is the same, and all filters hold (${count}).`),
    idempotency: () => 'The event has not reached this trigger before.',
    cascade: () => (place?.level === 1 ? 'No invocation came before it.' : 'Its chain is short enough.'),
    throttle: () => (compiled.trigger.throttle === undefined ? 'It has no throttle.' : `${atMost(compiled, event)}; there is room.`),
    risk: () => `The risk is ${risk?.level ?? 'not known'}${risk?.audit ? ': it is audited' : ''}.`,
    run: () => `${compiled.trigger.agent} runs.`,
  };
  return words[step]();
}

function atMost(compiled: CompiledTrigger, event: PapEvent): string {
  const { throttle } = compiled.trigger;
  const bucket = bucketOf(compiled, event);
  const where =
    bucket !== sharedBucket
      ? ` for ${throttle?.window_key} = ${cut(bucket) ?? bucket}`
      : compiled.windowKey === null
        ? ''
        : ` for all without ${throttle?.window_key} together: its key is not in this event, or too long`;
  return `At most ${throttle?.max_per_window} in ${throttle?.window_seconds} s${where}`;
}
