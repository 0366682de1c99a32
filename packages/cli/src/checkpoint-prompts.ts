// What waits for one, one after the other and one tap each (SYS-1).

import { isCancel, note, outro, select, text } from '@clack/prompts';
import type { AnsweredCheckpoint, Checkpoint } from '@parley/protocol';
import type { Readable, Writable } from 'node:stream';

export interface TapParts {
  /** Of one that is listed with a part of it only. */
  whole: (id: string) => Promise<Checkpoint>;
  show: (checkpoint: Checkpoint) => Promise<string>;
  /** `shown`: as it stood on the screen. */
  answer: (shown: Checkpoint, choice: string, words?: string) => Promise<AnsweredCheckpoint>;
  /** What is said when somebody else was first, or nothing came of it. */
  told: (checkpoint: AnsweredCheckpoint) => string | undefined;
  input?: Readable;
  output?: Writable;
}

const later = 'later';

/** A choice of a peer's prompt that takes words. */
function questionFor({ kind }: Checkpoint, choice: string) {
  if (kind === 'escalation' && choice === 'continue') return { message: 'What should they try? Enter alone: other days.' };
  if (kind !== 'proposal' || choice !== 'different') return undefined;
  const validate = (typed = '') => (typed.trim() === '' ? 'Say which time or place suits you.' : undefined);
  return { message: 'Which time or place suits you?', validate };
}

/** Ctrl-C leaves the rest for another time. */
export async function tapThrough(waiting: readonly Checkpoint[], parts: TapParts): Promise<void> {
  const { whole, show, answer, told } = parts;
  const streams = { ...(parts.input ? { input: parts.input } : {}), ...(parts.output ? { output: parts.output } : {}) };
  let left = 0;
  for (const checkpoint of waiting) {
    // An approval is for all of it: nobody is asked to approve what they were not shown.
    const shown = checkpoint.cut ? await whole(checkpoint.id) : checkpoint;
    note(await show(shown), checkpoint.id, streams);
    const options = [...checkpoint.choices.map(({ choice, label }) => ({ value: choice, label })), { value: later, label: 'Later' }];
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
    const more = told(await answer(shown, choice, words?.trim() || undefined));
    if (more !== undefined) note(more, checkpoint.id, streams);
  }
  outro(left === 0 ? 'Your inbox has nothing else.' : `${left} left for later.`, streams);
}
