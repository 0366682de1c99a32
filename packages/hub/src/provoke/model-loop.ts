// A provoked agent that thinks with a model. Each call of a tool counts, also of one that there is not: the one past the limit
// is not made and ends the attempt (PRV-12).

import { addTokens, type Prompt } from '@parley/core';
import type { Manifest, ModelConfig } from '@parley/protocol';
import type { ModelQuestion } from '../brains/model/ask-models.ts';
import { converse, type Thinker } from '../brains/model/conversation.ts';
import { limitsOf } from '../brains/model/limits.ts';
import type { Tool } from '../brains/brain.ts';
import type { AttemptServices, FailedEnd, Usage } from './attempt.ts';

/** The error ends the attempt, with a message that can be shown. */
export class AttemptError extends Error {
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

type Means = Pick<AttemptServices, 'keyFor' | 'outbound' | 'clock' | 'step' | 'reserve'> & { usage: Usage; signal: AbortSignal };

/** Settings that the manifest leaves out are left to the provider. */
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
  const { usage } = means;
  const question: ModelQuestion = {
    system: [manifest.system_prompt.trim(), prompt.system, endingOf(manifest.output)].filter((part) => part !== '').join('\n\n'),
    messages: [{ role: 'user', content: prompt.user }],
    tools,
  };
  const most = manifest.limits.max_tool_calls;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  // The limit is counted below over all rounds.
  const limits = { ...limitsOf(config), callsAtOnce: most };
  const thinker: Thinker = {
    ...means,
    models: [config],
    hands: { turn: means, tools: byName, limits, mark: prompt.mark },
    beforeCalls: (calls) => {
      // None of a round that goes too far: which of them would be the last is nobody's choice.
      if (usage.toolCalls + calls.length > most)
        throw new AttemptError('too_many_tool_calls', `It reached its limit of ${most} tool calls.`);
      usage.toolCalls += calls.length;
    },
    onSpent: ({ micros, tokens }) => {
      usage.micros += micros;
      usage.tokens = addTokens(usage.tokens, tokens);
    },
  };
  return converse(question, thinker, (answer) => {
    if ('failed' in answer) throw new AttemptError('failed', `The model failed: ${answer.failed}`);
    return answer.said.calls.length === 0 ? answer.said.text : undefined;
  });
}

function endingOf(output: Manifest['output']): string {
  const end = 'You were woken by an event. Nobody reads along and nobody answers questions: your last text is the result.';
  if (output.type === 'text') return end;
  return `${end}\nIt must be JSON and nothing else, of this form: ${JSON.stringify(output.schema)}`;
}
