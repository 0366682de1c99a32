// What became of a checkpoint, in one line.

import { chosenLabel, notRunText } from '@parley/core';
import type { Checkpoint } from '@parley/protocol';

const decisions: Readonly<Record<string, string>> = {
  approve: 'Approved',
  deny: 'Denied',
  always: 'Always approved',
  answered: 'Answered',
};

const peerKinds: ReadonlySet<Checkpoint['kind']> = new Set(['consent', 'proposal', 'escalation']);

/** The sentence alone: the colon at its end is for the lines below it. */
export const sentenceOf = ({ text }: Pick<Checkpoint, 'text'>): string => text.replace(/:$/, '');

const past: Readonly<Record<string, string>> = {
  ' wants to ': ' wanted to ',
  ' asks what it may ': ' asked what it may ',
  ' has a proposal ': ' had a proposal ',
  ' of yours needs ': ' of yours needed ',
};

/** Once it is settled, nobody wants it any more. */
export function pastSentence(checkpoint: Pick<Checkpoint, 'text'>): string {
  const sentence = sentenceOf(checkpoint).replace(
    / (wants to|asks what it may|has a proposal|of yours needs) /,
    (words) => past[words] ?? words,
  );
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** `by`: the handle of the person who decided; `at`: when, as it is shown. */
export function settledText(closed: Checkpoint, by: string, at: string): string {
  const { choice, closedBy } = closed;
  // The other person answered, or the peers went on.
  if (choice === null && peerKinds.has(closed.kind)) return `No longer open, ${at}`;
  if (choice === null || closedBy === null) return `Closed without an answer, ${at}`;
  const decision = decisions[choice];
  return decision === undefined ? `${by} answered “${chosenLabel(closed)}”, ${at}` : `${decision} by ${by}, ${at}`;
}

/** Without it, an approval that had no effect would look like any other. */
export const withoutEffect = (notRun: NonNullable<Checkpoint['notRun']>): string =>
  `${notRunText(notRun)}${notRun.again ? ` To ask again: npx parley invocations ask ${notRun.invocationId}` : ''}`;
