// What waits for one, one after the other and one tap each (SYS-1).

import { confirm, isCancel, note, outro, select, text } from '@clack/prompts';
import type { AnsweredCheckpoint, Checkpoint } from '@parley/protocol';
import type { Readable, Writable } from 'node:stream';
import { type FieldValues, unknownFields } from './consent-values.ts';
import { printable } from './output.ts';

export interface TapParts {
  /** Of one that is listed with a part of it only. */
  whole: (id: string) => Promise<Checkpoint>;
  show: (checkpoint: Checkpoint) => Promise<string>;
  /** `shown`: as it stood on the screen. */
  answer: (shown: Checkpoint, choice: string, words?: string) => Promise<AnsweredCheckpoint>;
  /** Shares values that the peer does not know, with the known ones. */
  share: (shown: Checkpoint, values: FieldValues) => Promise<AnsweredCheckpoint>;
  /** What is said when somebody else was first, or nothing came of it. */
  told: (checkpoint: AnsweredCheckpoint) => string | undefined;
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

/** Undefined where the person leaves. */
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

/** The person's calendar has something else then: asked once more, with its name. */
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

/** Ctrl-C leaves the rest for another time. */
export async function tapThrough(waiting: readonly Checkpoint[], parts: TapParts): Promise<void> {
  const { whole, show, answer, share, told } = parts;
  const streams = { ...(parts.input ? { input: parts.input } : {}), ...(parts.output ? { output: parts.output } : {}) };
  let left = 0;
  for (const checkpoint of waiting) {
    // An approval is for all of it: nobody is asked to approve what they were not shown.
    const shown = checkpoint.cut ? await whole(checkpoint.id) : checkpoint;
    note(await show(shown), checkpoint.id, streams);
    const options = [...choicesOf(checkpoint).map(({ choice, label }) => ({ value: choice, label })), { value: later, label: 'Later' }];
    // One Enter too many must not approve the next one.
    const choice = await select({ message: 'What do you say?', options, initialValue: later, ...streams });
    if (isCancel(choice)) return outro('The rest waits.', streams);
    if (choice === later) {
      left++;
      continue;
    }
    const question = questionFor(checkpoint, choice);
    const words = question && (await text({ ...question, ...streams }));
    if (isCancel(words)) return outro('The rest waits.', streams);
    const values = choice === 'share' ? await valuesFor(checkpoint, streams) : {};
    if (values === undefined) return outro('The rest waits.', streams);
    const said = Object.keys(values).length > 0 ? share(shown, values) : answer(shown, choice, words?.trim() || undefined);
    const more = told(await said.catch(orAnyway(parts, shown, streams)));
    if (more !== undefined) note(more, checkpoint.id, streams);
  }
  outro(left === 0 ? 'Your inbox has nothing else.' : `${left} left for later.`, streams);
}
