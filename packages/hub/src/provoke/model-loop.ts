// A provoked agent that thinks with a model: asked, its calls made, asked again, until it has said its last word. Each call
// of a tool counts, also of one that there is not: the one past the limit is not made and ends the attempt (PRV-12).

import type { Prompt } from '@parley/core';
import type { Manifest, ModelConfig } from '@parley/protocol';
import type { ModelMessage, ToolResultPart } from 'ai';
import { type Asked, askModels, mostOf, type Question } from '../brains/model/ask.ts';
import type { Said, ToolCall } from '../brains/model/call.ts';
import { limitsOf } from '../brains/model/limits.ts';
import { Meter } from '../brains/model/meter.ts';
import { makeCall } from '../brains/model/tools.ts';
import { toolBlock } from '../brains/model/words.ts';
import type { Tool } from '../brains/tools.ts';
import type { AttemptServices, FailedEnd, Usage } from './attempt.ts';

/** It ends the attempt, and says why in words that can be shown. */
export class AttemptFailed extends Error {
  readonly end: FailedEnd;
  constructor(end: FailedEnd, message: string) {
    super(message);
    this.end = end;
  }
}

type Model = Exclude<Manifest['model'], { provider: 'builtin' }>;

interface Thinking {
  manifest: Manifest;
  model: Model;
  prompt: Prompt;
  tools: readonly Tool[];
}

type Means = Pick<AttemptServices, 'keyFor' | 'callable' | 'clock' | 'step' | 'setAside'> & { usage: Usage; signal: AbortSignal };

/** As written: what the manifest does not say is left to the provider. */
const configOf = ({ provider, model_id, base_url, key, max_tokens, temperature, price }: Model): ModelConfig => ({
  provider,
  model: model_id,
  ...(base_url === undefined ? {} : { baseUrl: base_url }),
  ...(key === undefined ? {} : { key }),
  ...(max_tokens === undefined ? {} : { maxOutputTokens: max_tokens }),
  ...(temperature === undefined ? {} : { temperature }),
  ...(price === undefined ? {} : { price: priceIn(price) }),
});

const priceIn = (price: NonNullable<Model['price']>): NonNullable<ModelConfig['price']> => ({
  inputMicrosPerMillionTokens: price.input_micros_per_million_tokens,
  outputMicrosPerMillionTokens: price.output_micros_per_million_tokens,
});

export async function think({ manifest, model, prompt, tools }: Thinking, means: Means): Promise<string> {
  const config = configOf(model);
  const { signal, usage } = means;
  const question: Question = {
    system: [manifest.system_prompt.trim(), prompt.system, endingOf(manifest.output)].filter((part) => part !== '').join('\n\n'),
    messages: [{ role: 'user', content: prompt.user }],
    tools,
  };
  const most = manifest.limits.max_tool_calls;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const hands = { turn: { step: means.step, signal }, tools: byName, limits: limitsOf(config), mark: prompt.mark };
  for (;;) {
    const { message, text, calls } = await ask(question, config, means);
    if (calls.length === 0) return text;
    // None of a round that goes too far: which of them would be the last is nobody's choice.
    if (usage.toolCalls + calls.length > most)
      throw new AttemptFailed('too_many_tool_calls', `It wanted to use tools more than ${most} times.`);
    usage.toolCalls += calls.length;
    const results = await Promise.all(
      calls.map(async (call: ToolCall): Promise<ToolResultPart> => {
        const value = toolBlock(call.name, await makeCall(call, hands), prompt.mark);
        return { type: 'tool-result', toolCallId: call.id, toolName: call.name, output: { type: 'text', value } };
      }),
    );
    question.messages.push(message, { role: 'tool', content: results } satisfies ModelMessage);
  }
}

async function ask(question: Question, config: ModelConfig, means: Means): Promise<Omit<Said, 'tokens'>> {
  const { keyFor, callable, clock, step, setAside, usage, signal } = means;
  const meter = new Meter();
  try {
    const asked = await step<Asked>(
      { kind: 'model', name: 'model', readOnly: true, estimate: mostOf(question, config), soFar: () => meter.soFar() },
      () => askModels(question, { models: [config], meter, keyFor, callable, clock, signal, setAside, draft: () => {} }),
      ({ spent }) => spent,
    );
    if ('failed' in asked) throw new AttemptFailed('failed', `The model failed: ${asked.failed}`);
    return asked.said;
  } finally {
    const { micros, tokens } = meter.soFar();
    usage.micros += micros;
    usage.tokens = {
      input: usage.tokens.input + tokens.input,
      output: usage.tokens.output + tokens.output,
      cached: usage.tokens.cached + tokens.cached,
    };
  }
}

function endingOf(output: Manifest['output']): string {
  const end = 'You were woken by an event. Nobody reads along and nobody answers questions: your last text is what comes of it.';
  if (output.type === 'text') return end;
  return `${end}\nIt must be JSON and nothing else, of this form: ${JSON.stringify(output.schema)}`;
}
