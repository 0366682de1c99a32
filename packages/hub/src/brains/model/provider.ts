// A provider's model, as its own library makes it. Loaded when the first model is asked: a hub without any does not carry
// them.

import type { LanguageModel } from 'ai';
import { type ModelFailure } from '@parley/core';
import type { ModelConfig } from '@parley/protocol';
import { SecretBinding, SecretError } from '../../agents/secrets.ts';
import { countBytes, type Outbound } from '../../outbound/guarded-fetch.ts';
import { type ModelLimits, mostBytes } from './limits.ts';

export type KeyFor = (name: string, host: string) => Promise<string | undefined>;

/** The key and the network access for a model. */
export interface ModelReach {
  keyFor: KeyFor;
  outbound: Outbound;
}

const ownHosts = { anthropic: 'api.anthropic.com', openai: 'api.openai.com', openai_compatible: '' };

/** The name of the secret that the model needs; undefined if it needs none. */
export const keyNameOf = ({ key, provider }: Pick<ModelConfig, 'key' | 'provider'>): string | undefined =>
  key ?? (provider === 'openai_compatible' ? undefined : provider);

export const hostOf = ({ baseUrl, provider }: Pick<ModelConfig, 'baseUrl' | 'provider'>): string =>
  baseUrl === undefined ? ownHosts[provider] : new URL(baseUrl).host;

export async function modelOf(
  config: ModelConfig,
  limits: ModelLimits,
  { keyFor, outbound }: ModelReach,
): Promise<LanguageModel | ModelFailure> {
  const { provider, model, baseUrl } = config;
  const name = keyNameOf(config);
  const host = hostOf(config);
  const apiKey = name === undefined ? undefined : await keyFor(name, host).catch(unusable);
  if (apiKey instanceof SecretBinding) return { class: 'key_bound' };
  if (name !== undefined && apiKey === undefined) return { class: 'no_key' };
  const fetch = bounded(mostBytes(limits), outbound);
  const at = baseUrl === undefined ? {} : { baseURL: baseUrl };
  switch (provider) {
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      return createAnthropic({ ...at, apiKey: apiKey!, fetch })(model);
    }
    case 'openai': {
      const { createOpenAI } = await import('@ai-sdk/openai');
      return createOpenAI({ ...at, apiKey: apiKey!, fetch })(model);
    }
    case 'openai_compatible': {
      if (baseUrl === undefined) return { class: 'no_model' };
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      return createOpenAICompatible({
        name: provider,
        baseURL: baseUrl,
        includeUsage: true,
        fetch,
        ...(apiKey === undefined ? {} : { apiKey }),
      })(model);
    }
  }
}

/** An unusable key counts as none, and the second model may have one; the list of keys says what is wrong. */
function unusable(error: unknown): SecretBinding | undefined {
  if (error instanceof SecretBinding) return error;
  if (!(error instanceof SecretError)) throw error;
  return undefined;
}

export const isFailure = (made: LanguageModel | ModelFailure): made is ModelFailure => typeof made === 'object' && 'class' in made;

/** Follows no redirect, which would get the key, and stops an endless answer before it fills the memory. */
function bounded(most: number, outbound: Outbound): typeof fetch {
  return async (input, init) => {
    let bytes = 0;
    return countBytes(await outbound(input, { ...init, redirect: 'error' }), (count) => {
      bytes += count;
      if (bytes > most) throw new TooLong();
    });
  };
}

export class TooLong extends Error {}
