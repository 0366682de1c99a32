// The calls that an agent has made in a task, for its next turn there (IAC-6): without them it would make them again. They are
// kept while the task is open, within bounds, and shown as data.

import { shortenText } from '../model/prompt-blocks.ts';
import { readingTools } from './workspace-tools.ts';

/** A step of a turn, as its journal holds it. `input` and `result` are JSON. */
export interface JournalStep {
  kind: 'model' | 'tool';
  name: string;
  input: string;
  result: string | null;
}

export interface CallRecord {
  name: string;
  /** Null: no longer kept. */
  input: string | null;
  /** Null: not kept, or not known. */
  result: string | null;
  /** `unknown`: it may have happened. `private`: it holds a person's private values, so neither part is repeated. */
  outcome: 'done' | 'unknown' | 'forgotten' | 'private';
}

/** In letters. The oldest calls beyond `total` are counted, not shown. */
export const callBounds = { each: 2000, total: 16_000, calls: 40 } as const;

/** The turn begins with `context`; `say` stands among the words of the task. */
const unlisted: ReadonlySet<string> = new Set(['say', 'context']);

export const isListed = ({ kind, name }: Pick<JournalStep, 'kind' | 'name'>): boolean => kind === 'tool' && !unlisted.has(name);

const nothing = { input: 'null', result: null };

/** The part of a step that its task keeps when the turn has ended. A message that was read is read again: it may be deleted by then. */
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
 * What the journal says of a call. `forgotten`: a message of the task was deleted since, and its words may stand in it.
 * `isPrivate`: whether a text holds a person's private values.
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

/** The newest that fit, in the order they were made. */
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

/** For a block of its own: one line of the platform's, then the call as data. */
export function callText({ name, input, result, outcome }: CallRecord): string {
  const unread = readingTools.has(name) ? 'not kept; read it again if you need it' : 'none';
  return [
    `Earlier in this task you called ${name}. ${outcomeTexts[outcome]}`,
    ...(input === null ? [] : [`Arguments: ${input}`]),
    ...(outcome === 'done' ? [`Result: ${result ?? unread}`] : []),
  ].join('\n');
}

// A call that nobody saw the end of (SYS-12). It is not made again unasked: a person says what became of it.

/** `did`: it happened. `again`: make it once more. `leave`: go on without knowing. */
export const unknownChoices = ['did', 'again', 'leave'] as const;
export type UnknownChoice = (typeof unknownChoices)[number];

export const isUnknownChoice = (choice: string): choice is UnknownChoice => (unknownChoices as readonly string[]).includes(choice);

/** What the agent reads in place of the call's result. */
export const confirmedText = (name: string): string =>
  `A person confirmed that ${name} happened. Its result is not known. Do not make this call again.`;
export const leftText = (name: string): string =>
  `It is not known whether ${name} happened, and a person decided to leave it. Do not make this call again.`;
