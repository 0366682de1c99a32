// Limits outside the model: a turn ends whatever the model says or omits.

import type { ModelConfig } from '@parley/protocol';
import { assumedPrice, knownPrice, type Price } from '@parley/core';

export interface ModelLimits {
  /** Calls of a model in one turn. */
  steps: number;
  outputTokens: number;
  /** The time of one call, from its start to its last word. */
  callMs: number;
  /** A longer tool result is cut. */
  toolLetters: number;
  /** Calls of tools in one round: the rest is not made. */
  callsAtOnce: number;
}

const usual: ModelLimits = { steps: 16, outputTokens: 4096, callMs: 180_000, toolLetters: 20_000, callsAtOnce: 16 };

export const limitsOf = ({ maxSteps, maxOutputTokens }: Pick<ModelConfig, 'maxSteps' | 'maxOutputTokens'>): ModelLimits => ({
  ...usual,
  steps: maxSteps ?? usual.steps,
  outputTokens: maxOutputTokens ?? usual.outputTokens,
});

// No language needs so many letters for a token, so a longer stream is not an answer.
const mostLettersPerToken = 16;
export const mostLetters = ({ outputTokens }: ModelLimits): number => outputTokens * mostLettersPerToken;

/** Bytes of one answer, with everything a provider writes around it. */
export const mostBytes = (limits: ModelLimits): number => 1_000_000 + mostLetters(limits) * 40;

export const priceOf = ({ model, price }: ModelConfig): Price =>
  price
    ? { input: price.inputMicrosPerMillionTokens / 1_000_000, output: price.outputMicrosPerMillionTokens / 1_000_000 }
    : (knownPrice(model) ?? assumedPrice);
