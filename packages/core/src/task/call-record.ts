// The calls of an agent in a task, for its next turn there (IAC-6): without them it would repeat them. They are stored while the task is
// open, within bounds, and shown as data. A call without a known end is repeated only if a person decides so (SYS-12).

import { shortenText } from '../model/prompt-blocks.ts';
import { readingTools } from './workspace-tools.ts';

/** A step of a turn in its journal. `input` and `result` are JSON. */
export interface JournalStep {
  kind: 'model' | 'tool';
  name: string;
  input: string;
  result: string | null;
}

export interface CallRecord {
  name: string;
  /** Null: no longer stored. */
  input: string | null;
  /** Null: not stored, or unknown. */
  result: string | null;
  /** `unknown`: the call may have happened. `private`: it has a person's private values in it, so neither part is shown. */
  outcome: 'done' | 'unknown' | 'forgotten' | 'private';
}

/** Bounds in letters. The oldest calls beyond `total` are only counted. */
export const callBounds = { each: 2000, total: 16_000, calls: 40 } as const;

/** Every turn begins with `context`, and the texts of `say` are among the task's messages, so neither is listed. */
const unlisted: ReadonlySet<string> = new Set(['say', 'context']);

export const isListed = ({ kind, name }: Pick<JournalStep, 'kind' | 'name'>): boolean => kind === 'tool' && !unlisted.has(name);

const nothing = { input: 'null', result: null };

/** The part of a step that the task stores after the turn. The result of a reading tool is not stored, because messages may be deleted. */
export function keptOf(step: JournalStep): Pick<JournalStep, 'input' | 'result'> {
  if (!isListed(step)) return nothing;
  const result = step.result === null || readingTools.has(step.name) ? null : bounded(step.result, (text) => ({ text }));
  return { input: bounded(step.input, (text) => text), result };
}

function bounded(json: string, as: (text: string) => unknown): string {
  return json.length <= callBounds.each ? json : JSON.stringify(as(shortenText(textOf(json), callBounds.each)));
}

/** The text of a result, or of arguments that were cut. */
function textOf(json: string): string {
  const value = JSON.parse(json) as unknown;
  if (typeof value === 'string') return value;
  const text = typeof value === 'object' && value !== null ? (value as { text?: unknown }).text : undefined;
  return typeof text === 'string' ? text : json;
}

/**
 * The record of a call in the journal. `forgotten`: a message of the task was deleted since, and its text may be in the call.
 * `isPrivate`: whether a text has a person's private values in it.
 */
export function recordOf(
  step: JournalStep & { done: boolean; forgotten: boolean; unknown: boolean },
  isPrivate: (text: string) => boolean,
): CallRecord {
  const { name } = step;
  if (step.forgotten || step.input === 'null') return { name, input: null, result: null, outcome: 'forgotten' };
  const input = argumentsOf(step.input);
  const unknown = !step.done || step.unknown;
  const result = unknown || step.result === null ? null : textOf(step.result);
  if (isPrivate(`${input}\n${result ?? ''}`)) return { name, input: null, result: null, outcome: 'private' };
  return { name, input, result, outcome: unknown ? 'unknown' : 'done' };
}

const argumentsOf = (json: string): string => {
  const value = JSON.parse(json) as unknown;
  return typeof value === 'string' ? value : json;
};

/** The newest calls that fit, in their order. */
export function shownCalls(records: readonly CallRecord[]): { calls: CallRecord[]; left: number } {
  let letters = 0;
  const calls: CallRecord[] = [];
  for (const one of records.slice(-callBounds.calls).toReversed()) {
    letters += one.name.length + (one.input?.length ?? 0) + (one.result?.length ?? 0);
    if (letters > callBounds.total) break;
    calls.unshift(one);
  }
  return { calls, left: records.length - calls.length };
}

const outcomeTexts: Readonly<Record<CallRecord['outcome'], string>> = {
  done: 'It was made.',
  unknown: 'It may have happened: find out before you repeat it.',
  forgotten: 'It was made. Its arguments and result are no longer kept.',
  private: 'It was made. Its arguments hold private values and are not repeated here.',
};

/** The text of a call's block: one line of the platform, then the call as data. */
export function callText({ name, input, result, outcome }: CallRecord): string {
  const unread = readingTools.has(name) ? 'not kept; read it again if you need it' : 'none';
  return [
    `Earlier in this task you called ${name}. ${outcomeTexts[outcome]}`,
    ...(input === null ? [] : [`Arguments: ${input}`]),
    ...(outcome === 'done' ? [`Result: ${result ?? unread}`] : []),
  ].join('\n');
}

/** Decisions about a call without a known end. `did`: it happened. `again`: repeat it. `leave`: continue without knowing. */
export const unknownChoices = ['did', 'again', 'leave'] as const;
export type UnknownChoice = (typeof unknownChoices)[number];

export const isUnknownChoice = (choice: string): choice is UnknownChoice => (unknownChoices as readonly string[]).includes(choice);

/** The agent reads this instead of the call's result. */
export const confirmedText = (name: string): string =>
  `A person confirmed that ${name} happened. Its result is not known. Do not make this call again.`;
export const leftText = (name: string): string =>
  `It is not known whether ${name} happened, and a person decided to leave it. Do not make this call again.`;
