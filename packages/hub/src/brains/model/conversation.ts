// A model is asked, its calls are made, and it is asked again, until the reader of its answers has heard the last one. Turns
// and invocations think with this one loop; each call of the model and of a tool is a step in their journal (SYS-12).

import type { ModelConfig } from '@parley/protocol';
import type { ModelMessage, ToolResultPart } from 'ai';
import type { StepOutcome, Tool } from '../brain.ts';
import { type ModelAnswer, askModels, type AskParts, mostOf, type ModelQuestion, Meter } from './ask-models.ts';
import type { ModelToolCall } from './call.ts';
import { type Hands, makeCall } from './tools.ts';
import { toolBlock } from './system-prompt.ts';

export interface Thinker extends Omit<AskParts, 'meter' | 'signal'> {
  hands: Hands;
  /** These end the turn: the reader takes them, and one that comes back to the model was not of the right form. */
  endings?: readonly Tool[];
  /** Runs before the calls of one answer. */
  beforeCalls?: (calls: readonly ModelToolCall[]) => void;
  /** Runs after each question, answered or not. */
  onSpent?: (spent: StepOutcome) => void;
}

/** The dearest of the models that may be asked: once. A retry reserves again. */
export const estimate = (question: Omit<ModelQuestion, 'tools'>, models: readonly ModelConfig[]): number =>
  Math.max(...models.map((model) => mostOf(question, model)));

/** `read` is given each answer after its calls were made; what it returns ends the conversation. */
export async function converse<T>(question: ModelQuestion, thinker: Thinker, read: (answer: ModelAnswer) => T | undefined): Promise<T> {
  for (;;) {
    const answer = await ask(question, thinker);
    if ('said' in answer && answer.said.calls.length > 0) {
      const { message, calls } = answer.said;
      thinker.beforeCalls?.(calls);
      question.messages.push(message, { role: 'tool', content: await act(calls, thinker) } satisfies ModelMessage);
    }
    const end = read(answer);
    if (end !== undefined) return end;
  }
}

async function ask(question: ModelQuestion, thinker: Thinker): Promise<ModelAnswer> {
  const { step, signal } = thinker.hands.turn;
  const meter = new Meter();
  try {
    return await step<ModelAnswer>(
      { kind: 'model', name: 'model', readOnly: true, estimate: estimate(question, thinker.models), soFar: () => meter.soFar() },
      () => askModels(question, { ...thinker, meter, signal }),
      ({ spent }) => spent,
    );
  } finally {
    thinker.onSpent?.(meter.soFar());
  }
}

/** All at once: a model that wants one after the other asks for one after the other. */
async function act(calls: readonly ModelToolCall[], thinker: Thinker): Promise<ToolResultPart[]> {
  const { callsAtOnce: most } = thinker.hands.limits;
  const texts = await Promise.allSettled(
    calls.map((call, at) => (at < most ? result(call, thinker) : Promise.resolve(`Error: At most ${most} calls at once. Make it again.`))),
  );
  return texts.map((settled, at) => {
    if (settled.status === 'rejected') throw settled.reason;
    const { id, name } = calls[at]!;
    const value = toolBlock(name, settled.value, thinker.hands.mark);
    return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value } };
  });
}

function result(call: ModelToolCall, { hands, endings = [] }: Thinker): Promise<string> {
  const ends = endings.find(({ name }) => name === call.name);
  if (!ends) return makeCall(call, hands);
  const [field] = ends.input['required'] as string[];
  return Promise.resolve(`Error: '${field}' is missing.`);
}
