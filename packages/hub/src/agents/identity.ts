// What an agent is made of, for whoever runs it.

import type { BehaviourMode } from '@parley/core';
import type { Store } from '../store/port.ts';

export interface ModelConfig {
  provider: 'anthropic' | 'openai' | 'openai_compatible';
  model: string;
  /** Left out: the provider's own. */
  baseUrl?: string | undefined;
  /** The name of its key; the provider's own when left out. */
  key?: string | undefined;
  maxOutputTokens?: number | undefined;
  maxSteps?: number | undefined;
  temperature?: number | undefined;
  price?: { inputMicrosPerMillionTokens: number; outputMicrosPerMillionTokens: number } | undefined;
}

export type BrainConfig = { kind: 'builtin' } | { kind: 'remote' } | ({ kind: 'model'; fallback?: ModelConfig | undefined } & ModelConfig);

export interface Identity {
  version: number;
  mode: BehaviourMode;
  instructions: string;
  memory: string;
  tools: string[];
  brain: BrainConfig;
}

/** Undefined: it was never set. */
export async function identityOf(store: Store, agentId: string): Promise<Identity | undefined> {
  const [row] = await store.rows('identities', 'where agent_id = ?', [agentId]);
  return row && { version: row.version, mode: row.mode, ...(JSON.parse(row.data) as Omit<Identity, 'version' | 'mode'>) };
}
