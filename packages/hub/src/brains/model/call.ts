// One call of a model: its words, piece by piece to those who watch and whole to the journal, or its failure. A provider's
// error is read and not passed on: it may hold a prompt, or a part of a key.

import { failureOfStatus, type ModelFailure, noTokens, retryAfterOf, type Tokens, tokensIn } from '@parley/core';
import type { AssistantModelMessage, LanguageModel, ModelMessage, ToolSet } from 'ai';
import type { Clock } from '../../clock.ts';
import type { Tool } from '../brain.ts';
import { type ModelLimits, mostLetters } from './limits.ts';
import { TooLong } from './provider.ts';
import { PrivateTarget } from '../../outbound/guarded-fetch.ts';

export interface ModelToolCall {
  id: string;
  name: string;
  input: unknown;
  /** Its arguments are no JSON. */
  broken?: true;
}

export interface ModelReply {
  /** The message as the model gets it back in the next step. */
  message: AssistantModelMessage;
  text: string;
  calls: ModelToolCall[];
  tokens: Tokens;
}
export interface CallFailure {
  failure: ModelFailure;
  /** The cost until then, as far as it is known. */
  tokens: Tokens;
}

export interface ModelListener {
  letters: number;
  tokens?: Tokens;
}

export interface ModelRequest {
  model: LanguageModel;
  system: string;
  messages: ModelMessage[];
  tools: readonly Tool[];
  limits: ModelLimits;
  temperature?: number | undefined;
  clock: Clock;
  signal: AbortSignal;
  /** The letters that the model has sent, and its reported cost. */
  heard: ModelListener;
  /** All of the text so far. */
  onText: (text: string) => void;
}

/** The provider's count. An answer that was broken off has none, so its tokens are estimated. */
export const tokensSoFar = ({ system, messages, heard }: ModelRequest): Tokens =>
  heard.tokens ?? {
    input: tokensIn(system.length + JSON.stringify(messages).length),
    output: tokensIn(heard.letters),
    cached: 0,
  };

/** Throws only when the turn was taken away. */
export async function callModel(asking: ModelRequest): Promise<ModelReply | CallFailure> {
  const { signal, clock, limits, heard } = asking;
  signal.throwIfAborted();
  const abort = new AbortController();
  let isLate = false;
  const cancel = clock.after(limits.callMs, () => {
    isLate = true;
    abort.abort('too late');
  });
  try {
    return await listen(asking, AbortSignal.any([signal, abort.signal]));
  } catch (error) {
    signal.throwIfAborted();
    const failure: ModelFailure = isLate ? { class: 'timeout' } : failureOf(error, clock.now());
    // The call has a cost if the model spoke, reported its tokens, or used all its time.
    const hasCost = heard.letters > 0 || heard.tokens !== undefined || isLate;
    return { failure, tokens: hasCost ? tokensSoFar(asking) : noTokens };
  } finally {
    cancel();
    // The rest of the call is not wanted.
    abort.abort('done');
  }
}

class Fails extends Error {
  readonly failure: ModelFailure;
  constructor(failure: ModelFailure) {
    super(failure.class);
    this.failure = failure;
  }
}

async function listen(asking: ModelRequest, abortSignal: AbortSignal): Promise<ModelReply> {
  const { model, system, messages, tools, limits, temperature, heard, onText } = asking;
  const { streamText, jsonSchema, tool } = await import('ai');
  const set: ToolSet = Object.fromEntries(
    tools.map(({ name, description, input }) => [name, tool({ description, inputSchema: jsonSchema(input) })]),
  );
  const result = streamText({
    model,
    instructions: system,
    messages,
    tools: set,
    maxOutputTokens: limits.outputTokens,
    ...(temperature === undefined ? {} : { temperature }),
    // The provider must store nothing of a task.
    providerOptions: { openai: { store: false } },
    // The hub retries by its own rules and reports in its own words.
    maxRetries: 0,
    abortSignal,
    onError: () => {},
  });
  const most = mostLetters(limits);
  let text = '';
  let finish: string | undefined;
  const calls: ModelToolCall[] = [];
  for await (const part of result.stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'abort') throw new Error('aborted');
    if (part.type === 'tool-input-delta') heard.letters += part.delta.length;
    if (part.type === 'reasoning-delta') heard.letters += part.text.length;
    if (part.type === 'text-delta') {
      heard.letters += part.text.length;
      text += part.text;
      onText(text);
    }
    if (heard.letters > most) throw new Fails({ class: 'too_long' });
    if (part.type === 'tool-call' && part.providerExecuted !== true)
      calls.push({ id: part.toolCallId, name: part.toolName, input: part.input, ...(isBroken(part) ? { broken: true } : {}) });
    if (part.type === 'finish-step') {
      finish = part.finishReason;
      const { inputTokens = 0, outputTokens = 0, inputTokenDetails } = part.usage;
      const cached = inputTokenDetails.cacheReadTokens ?? 0;
      // Some servers report no usage; it is then estimated, because it would be free otherwise.
      if (inputTokens + outputTokens > 0) heard.tokens = { input: inputTokens, output: outputTokens, cached };
    }
  }
  if (finish === undefined || finish === 'interrupted' || finish === 'error') throw new Fails({ class: 'malformed' });
  if (text.trim() === '' && calls.length === 0) throw new Fails({ class: finish === 'content-filter' ? 'filtered' : 'empty' });
  return { message: await spoken(result.responseMessages), text, calls, tokens: tokensSoFar(asking) };
}

const isBroken = (part: { input: unknown; invalid?: boolean | undefined }): boolean =>
  part.invalid === true && typeof part.input === 'string';

/** Only the loop adds the results of tools. */
async function spoken(messages: PromiseLike<ModelMessage[]>): Promise<AssistantModelMessage> {
  const assistantMessage = (await messages).find((message) => message.role === 'assistant');
  return assistantMessage ?? { role: 'assistant', content: [] };
}

interface ApiError {
  statusCode?: number;
  responseHeaders?: Record<string, string>;
}

function failureOf(error: unknown, now: number): ModelFailure {
  const errors: Error[] = [];
  for (let at = error; at instanceof Error && errors.length < 5; at = at.cause) errors.push(at);
  // Our own is wrapped by the library as if the provider had sent something odd.
  if (errors.some((at) => at instanceof TooLong)) return { class: 'too_long' };
  if (errors.some((at) => at instanceof PrivateTarget)) return { class: 'private_address' };
  for (const at of errors) {
    if (at instanceof Fails) return at.failure;
    const { statusCode, responseHeaders } = at as ApiError;
    if (statusCode !== undefined) return failureOfStatus(statusCode, retryAfterOf(responseHeaders, now));
    if (at.name === 'AI_APICallError' || at.name === 'TypeError' || 'code' in at) return { class: 'network' };
  }
  return { class: 'malformed' };
}
