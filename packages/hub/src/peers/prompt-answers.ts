// A person answers a prompt of their own peer. The peer stores the answer; the hub only closes its checkpoint.

import { answerByChoice, fitsPrompt, isPeerPrompt } from '@parley/core';
import { ParleyError, PromptAnswer } from '@parley/protocol';
import { type By, invalidField } from '../engine/command.ts';
import { choicesFor } from '../engine/steps/facts/checkpoints.ts';
import type { Engine } from '../engine/engine.ts';
import type { CheckpointRow } from '../store/tables.ts';
import type { Peers } from './peers.ts';

interface AnswerHub {
  engine: Engine;
  peers: Peers;
}

interface Answered {
  checkpoint: CheckpointRow;
  already: boolean;
}

export async function answerPrompt(
  { engine, peers }: AnswerHub,
  by: By,
  checkpointId: string,
  answerTo: (row: CheckpointRow) => Promise<PromptAnswer>,
): Promise<Answered> {
  const { checkpoint } = await engine.submit({ type: 'checkpoint.answer', by, checkpointId });
  if (checkpoint.open === 0) return { checkpoint, already: true };
  const answer = await answerTo(checkpoint);
  const closed = () => engine.submit({ type: 'checkpoint.answered', by, checkpointId });
  try {
    await peers.call(checkpoint.member_id, 'answer', { promptId: checkpoint.subject_id!, answer });
  } catch (error) {
    // Another device was first: nothing waits here any more.
    if (error instanceof ParleyError && error.code === 'already_answered') await closed();
    throw error;
  }
  return { checkpoint: (await closed()).checkpoint, already: false };
}

/** An answer with content, as it was sent. */
export const withContent = (answer: PromptAnswer) => (row: CheckpointRow) => {
  if (!isPeerPrompt(row.kind) || !fitsPrompt(row.kind, answer))
    throw invalidField('kind', `does not answer a prompt of the kind ${row.kind}`);
  return Promise.resolve(answer);
};

/** One tap in a terminal or a bridged chat, with text if the choice takes some. */
export const byChoice =
  ({ peers }: AnswerHub, { choice, instruction }: { choice: string; instruction?: string | undefined }) =>
  async (row: CheckpointRow): Promise<PromptAnswer> => {
    const choices = Object.keys(choicesFor(row));
    if (!choices.includes(choice)) throw invalidField('choice', `must be one of ${choices.join(', ')}`);
    const [found] = await peers.call(row.member_id, 'prompts', { ids: [row.subject_id!] });
    if (!found) throw new ParleyError('already_answered');
    const answer = PromptAnswer.safeParse(answerByChoice(found.card, choice, instruction));
    if (!answer.success) throw invalidField('instruction', 'must say in one line of at most 500 characters what you want instead');
    return answer.data;
  };
