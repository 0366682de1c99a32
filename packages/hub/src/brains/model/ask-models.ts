// Asks a model until it has answered: the same one again after a while where that may help, then the second one. The result
// carries the cost of all attempts.

import { estimateOf, failureText, type ModelFailure, waitAfter, addTokens, costOf, noTokens, type Price, type Tokens } from '@parley/core';
import type { ModelMessage } from 'ai';
import type { FailureCode, ModelConfig } from '@parley/protocol';
import type { Clock } from '../../clock.ts';
import { pause } from '../../waiting.ts';
import type { Spent, Tool, StepOutcome } from '../brain.ts';
import { type ModelRequest, callModel, type ModelReply, tokensSoFar } from './call.ts';
import { limitsOf, priceOf } from './limits.ts';
import type { Outbound } from '../../outbound/guarded-fetch.ts';
import { isFailure, type KeyFor, modelOf } from './provider.ts';

/** Stored in the journal, so that a resumed turn gets it again. */
export type ModelAnswer =
  | { said: Omit<ModelReply, 'tokens'>; spent: Spent }
  | { failed: string; failure?: FailureCode; isEmpty: boolean; spent: Spent };

export interface ModelQuestion {
  system: string;
  messages: ModelMessage[];
  tools: readonly Tool[];
}

export interface QuestionTexts {
  system: string;
  user: string;
  tools: readonly Pick<Tool, 'name' | 'description' | 'input'>[];
}

export interface AskParts {
  /** The second is asked when the first fails. */
  models: readonly ModelConfig[];
  meter: Meter;
  keyFor: KeyFor;
  outbound: Outbound;
  clock: Clock;
  signal: AbortSignal;
  draft?: (text: string) => void;
  /** Reserves the cost of another try after one that cost something. Throws if the budget does not have it. */
  reserve?: (micros: number) => Promise<void>;
}

export async function askModels(question: ModelQuestion, parts: AskParts): Promise<ModelAnswer> {
  const { meter } = parts;
  const reasons: string[] = [];
  let isEmpty = true;
  let wantsKey = false;
  for (const config of parts.models) {
    const answer = await askModel(question, config, parts);
    if ('said' in answer) return { said: answer.said, spent: meter.spent };
    isEmpty &&= answer.failure.class === 'empty';
    wantsKey ||= answer.failure.class === 'no_key';
    reasons.push(failureText(config.provider, answer.failure));
  }
  return { failed: reasons.join('; '), ...(wantsKey ? { failure: 'no_key' } : {}), isEmpty, spent: meter.spent };
}

/** A question whose asker reads the calls itself: nothing runs them. */
export const questionWithoutRuns = ({ system, user, tools }: QuestionTexts): ModelQuestion => ({
  system,
  messages: [{ role: 'user', content: user }],
  tools: tools.map((one) => ({ ...one, readOnly: true, keyed: false, run: async () => ({ text: '' }) })),
});

/** The most that one question to this model can cost. */
export const mostOf = ({ system, messages }: Omit<ModelQuestion, 'tools'>, config: ModelConfig): number =>
  estimateOf(system.length + JSON.stringify(messages).length, limitsOf(config).outputTokens, priceOf(config));

type Tried = { said: Omit<ModelReply, 'tokens'> } | { failure: ModelFailure };

async function askModel(question: ModelQuestion, config: ModelConfig, parts: AskParts): Promise<Tried> {
  const limits = limitsOf(config);
  const price = priceOf(config);
  for (let tries = 1; ; tries++) {
    const model = await modelOf(config, limits, parts);
    if (isFailure(model)) return { failure: model };
    const show = throttled(parts);
    const { temperature } = config;
    const { clock, signal, meter } = parts;
    const asking: ModelRequest = { ...question, model, limits, temperature, clock, signal, heard: { letters: 0 }, onText: show.text };
    const { micros } = meter.spent;
    if (micros > 0) await parts.reserve?.(micros + mostOf(question, config));
    meter.begin(price, () => tokensSoFar(asking));
    const called = await callModel(asking).finally(show.stop);
    meter.end(called.tokens);
    if ('failure' in called) {
      const wait = waitAfter(called.failure, tries);
      if (wait === null) return { failure: called.failure };
      await pause(clock, wait, signal);
      continue;
    }
    const { tokens: _counted, ...said } = called;
    return { said };
  }
}

const showEveryMs = 200;

/** Watchers see the draft grow in steps instead of letter by letter. */
function throttled({ clock, draft }: AskParts): { text: (all: string) => void; stop: () => void } {
  let next: string | undefined;
  let cancel: (() => void) | undefined;
  const show = (all: string): void => {
    next = undefined;
    draft?.(all);
    cancel = clock.after(showEveryMs, () => {
      cancel = undefined;
      if (next !== undefined) show(next);
    });
  };
  return {
    text: (all) => {
      if (cancel) next = all;
      else show(all);
    },
    stop: () => {
      cancel?.();
      next = undefined;
    },
  };
}

// The cost of all questions so far: settled amounts, and an estimate for a call in progress.

interface Call {
  price: Price;
  soFar: () => Tokens;
}

const add = (a: Spent, b: Spent): Spent => ({ micros: a.micros + b.micros, tokens: addTokens(a.tokens, b.tokens) });
const spentOn = (tokens: Tokens, price: Price): Spent => ({ micros: costOf(tokens, price), tokens });

export class Meter {
  private settled: Spent = { micros: 0, tokens: noTokens };
  private call: Call | undefined;

  begin(price: Price, soFar: () => Tokens): void {
    this.call = { price, soFar };
  }

  end(tokens: Tokens): void {
    if (this.call) this.settled = add(this.settled, spentOn(tokens, this.call.price));
    this.call = undefined;
  }

  get spent(): Spent {
    return this.settled;
  }

  soFar(): StepOutcome {
    if (!this.call) return { ...this.settled, estimated: false };
    return { ...add(this.settled, spentOn(this.call.soFar(), this.call.price)), estimated: true };
  }
}
