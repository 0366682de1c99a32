// What a model did in a negotiation, for its person: which one took a step, and how sure it was (A2C-37).

import type { NegotiationStep } from '@parley/protocol';
import { type ModelRecord, modelAwayText, type NegotiationNote } from '../negotiate/records.ts';

const thoughts: Readonly<Record<string, string>> = {
  open: 'wrote the first packet',
  routine: 'went on as usual with them',
  gaps: 'looked for what is missing',
  propose: 'weighed what both want',
};

const counted = (count: number, one: string, many: string): string => (count === 1 ? one : `${count} ${many}`);

/** What the model wanted and may not is counted; its words are not shown. */
export function modelStep(step: ModelRecord['steps'][number]): NegotiationStep {
  const { at, task, model, provider, confidence, isTainted, dropped, regenerations } = step;
  const tried = regenerations === 0 ? '' : `, after ${counted(regenerations, 'a step that was', 'steps that were')} refused`;
  const read = isTainted ? '. It had read words of their peer' : '';
  const wanted = dropped.length === 0 ? '' : `. It wanted ${counted(dropped.length, 'a thing', 'things')} that it may not do`;
  const text = `${model} (${provider}) ${thoughts[task] ?? 'thought'}: ${Math.round(confidence * 100)} % sure${tried}${read}${wanted}`;
  return { at, by: 'me', kind: 'model', text, shared: {}, asked: [], withheld: [] };
}

/** With the reason. */
export function modelAwayNote({ notice, details: { problem } }: NegotiationNote): string | undefined {
  if (notice !== 'model_away') return undefined;
  return typeof problem === 'string' && problem !== '' ? `${modelAwayText} (${problem})` : modelAwayText;
}
