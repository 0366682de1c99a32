// Asks a member about each item of their inbox, one after the other (SYS-1).

import { confirm, isCancel, note, outro, select, text } from '@clack/prompts';
import type { AnsweredCheckpoint, Checkpoint } from '@parley/protocol';
import type { Readable, Writable } from 'node:stream';
import { type FieldValues, unknownFields } from './consent-values.ts';
import { printable } from './output.ts';

export interface TapParts {
  /** Reads the whole checkpoint: a list may cut its text. */
  whole: (id: string) => Promise<Checkpoint>;
  show: (checkpoint: Checkpoint) => Promise<string>;
  /** `shown` is the checkpoint as the member saw it. */
  answer: (shown: Checkpoint, choice: string, words?: string) => Promise<AnsweredCheckpoint>;
  /** Shares values that the peer does not know, with the known ones. */
  share: (shown: Checkpoint, values: FieldValues) => Promise<AnsweredCheckpoint>;
  /** A remark on an answer that came second or had no effect. */
  remarkOn: (checkpoint: AnsweredCheckpoint) => string | undefined;
  input?: Readable;
  output?: Writable;
}

const later = 'later';

/** A choice of a peer's prompt that takes words. */
function questionFor({ kind, card }: Checkpoint, choice: string) {
  if (card?.kind === 'escalation' && (card.isPaused || card.isSilent)) return undefined;
  if (kind === 'escalation' && choice === 'continue') return { message: 'What should they try? Enter alone: other days.' };
  if (kind !== 'proposal' || choice !== 'different') return undefined;
  const validate = (typed = '') => (typed.trim() === '' ? 'Say which time or place suits you.' : undefined);
  return { message: 'Which time or place suits you?', validate };
}

type Streams = { input?: Readable; output?: Writable };

/** A field without a value can be shared with one that the person types. */
function choicesOf({ choices, card }: Checkpoint): Checkpoint['choices'] {
  const canType = unknownFields(card).length > 0 && !choices.some(({ choice }) => choice === 'share');
  return canType ? [{ choice: 'share', label: 'Share' }, ...choices] : choices;
}

/** Undefined if the person cancels. */
async function valuesFor({ card }: Checkpoint, streams: Streams): Promise<FieldValues | undefined> {
  const values: Record<string, string> = {};
  for (const { field, choices } of unknownFields(card)) {
    const perhaps =
      choices.length === 0
        ? ''
        : ` Perhaps ${printable(choices.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))).join(', '))}.`;
    const typed = await text({ message: `${printable(field)}: which value?${perhaps} Enter alone declines it.`, ...streams });
    if (isCancel(typed)) return undefined;
    if (typed?.trim()) values[field] = typed.trim();
  }
  return values;
}

/** Asks again if the person's calendar has another event at that time, and names that event. */
const orAnyway =
  ({ answer }: TapParts, shown: Checkpoint, streams: Streams) =>
  async (error: unknown): Promise<AnsweredCheckpoint> => {
    if ((error as { code?: unknown }).code !== 'calendar_conflict') throw error;
    const keepsBoth = await confirm({
      message: printable((error as Error).message),
      active: 'Confirm anyway',
      inactive: 'Later',
      initialValue: false,
      ...streams,
    });
    return keepsBoth === true ? answer(shown, 'confirm_anyway') : { ...shown, already: false };
  };

/** Ctrl-C keeps the remaining items for later. */
export async function tapThrough(waiting: readonly Checkpoint[], parts: TapParts): Promise<void> {
  const { whole, show, answer, share, remarkOn } = parts;
  const streams = { ...(parts.input ? { input: parts.input } : {}), ...(parts.output ? { output: parts.output } : {}) };
  let postponed = 0;
  for (const checkpoint of waiting) {
    // An approval covers the whole text, so the person sees all of it first.
    const shown = checkpoint.cut ? await whole(checkpoint.id) : checkpoint;
    note(await show(shown), checkpoint.id, streams);
    const options = [...choicesOf(checkpoint).map(({ choice, label }) => ({ value: choice, label })), { value: later, label: 'Later' }];
    // `Later` is preselected, so that an extra Enter approves nothing.
    const choice = await select({ message: 'What do you say?', options, initialValue: later, ...streams });
    if (isCancel(choice)) return outro('The rest waits.', streams);
    if (choice === later) {
      postponed++;
      continue;
    }
    const question = questionFor(checkpoint, choice);
    const words = question && (await text({ ...question, ...streams }));
    if (isCancel(words)) return outro('The rest waits.', streams);
    const values = choice === 'share' ? await valuesFor(checkpoint, streams) : {};
    if (values === undefined) return outro('The rest waits.', streams);
    const answering = Object.keys(values).length > 0 ? share(shown, values) : answer(shown, choice, words?.trim() || undefined);
    const remark = remarkOn(await answering.catch(orAnyway(parts, shown, streams)));
    if (remark !== undefined) note(remark, checkpoint.id, streams);
  }
  outro(postponed === 0 ? 'Your inbox has nothing else.' : `${postponed} left for later.`, streams);
}
