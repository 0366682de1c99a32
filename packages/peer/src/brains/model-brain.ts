// The negotiator that thinks with a model. It proposes a step; consent, the state machine and the checks of the rules decide (A2C-36).

import { badInput } from '@parley/protocol';
import { BrainAway, type BrainMove, type BrainView, type MoveOrigin, type PeerBrain } from '../negotiate/peer-brain.ts';
import { rulesBrain } from '../negotiate/rules-brain.ts';
import { newId } from '../packets/peer-records.ts';
import { type StepCall, type ModelTool, readStep, type ModelStep, toolsFor } from './model-move.ts';
import { modelOfSize, type ModelProvider, type ModelSettings, type ModelSize } from './model-settings.ts';
import { largerThan, lowConfidence, type ModelTask, sizeFor, taskOf } from './model-task.ts';
import { type NegotiatorPrompt, writePrompt } from './negotiator-prompt.ts';

export interface StepQuestion {
  provider: ModelProvider;
  model: string;
  system: string;
  user: string;
  tools: readonly ModelTool[];
  signal: AbortSignal | undefined;
}

/** One question to one model, asked again after a while where that may help. `failed`: why it did not answer, without its words. */
export type AskModel = (question: StepQuestion) => Promise<{ calls: readonly StepCall[] } | { failed: string }>;

interface Thinking {
  settings: ModelSettings;
  ask: AskModel;
  view: BrainView;
  task: ModelTask;
  prompt: NegotiatorPrompt;
  signal: AbortSignal | undefined;
}

export const modelBrain =
  (settings: ModelSettings, ask: AskModel): PeerBrain =>
  async (view, { problem = null, signal } = {}) => {
    const task = taskOf(view);
    if (task === undefined) return rulesBrain(view);
    const prompt = writePrompt(view, task, newId('prm'), problem);
    const thinking: Thinking = { settings, ask, view, task, prompt, signal };
    const size = sizeFor(task);
    const first = await stepOf(thinking, size);
    if (first.step.confidence >= lowConfidence) return moveOf(first, thinking);
    const larger = largerModel(settings, size);
    // A larger model that is away or writes nonsense leaves the first answer as it is.
    const second = larger && (await stepOf(thinking, larger).catch(unlessEnded(signal)));
    return moveOf(second ?? first, thinking, second && first);
  };

interface Answered {
  step: ModelStep;
  provider: ModelProvider;
  model: string;
  size: ModelSize;
}

const largerModel = ({ first }: ModelSettings, size: ModelSize): ModelSize | undefined => {
  const larger = largerThan(size);
  if (larger === undefined) return undefined;
  return modelOfSize(first, larger) === modelOfSize(first, size) ? largerModel({ first, second: null }, larger) : larger;
};

const unlessEnded =
  (signal: AbortSignal | undefined) =>
  (error: unknown): undefined => {
    if (signal?.aborted) throw error;
  };

/** Of the first provider, else of the second; without either the packet waits (A2C-35). */
async function stepOf({ settings, ask, view, prompt, signal }: Thinking, size: ModelSize): Promise<Answered> {
  const reasons: string[] = [];
  for (const provider of [settings.first, settings.second]) {
    if (!provider) continue;
    const model = modelOfSize(provider, size);
    const { system, user } = prompt;
    const answer = await ask({ provider, model, system, user, tools: toolsFor(view), signal });
    if ('failed' in answer) {
      reasons.push(answer.failed);
      continue;
    }
    const step = readStep(view, answer.calls);
    if ('problem' in step) throw badInput(step.problem);
    return { step, provider, model, size };
  }
  throw new BrainAway(reasons.join('; '));
}

/** Which model decided, how sure it was, and what it was not allowed to do, for the person. */
function moveOf({ step, provider, model, size }: Answered, { task, prompt }: Thinking, before?: Answered): BrainMove {
  const origin: MoveOrigin = {
    task,
    size,
    provider: provider.provider,
    model,
    confidence: step.confidence,
    isTainted: prompt.isTainted,
    dropped: [...(before?.step.dropped ?? []), ...step.dropped],
  };
  return { ...step.move, origin };
}
