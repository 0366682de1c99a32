// What an agent is made of, as it is now.

import type { BehaviourMode } from '@parley/core';
import type { Store } from '../store/port.ts';

export interface Identity {
  version: number;
  mode: BehaviourMode;
  /** The tool servers and tools it was given: `mcp://name`, `mcp://name/tool`. */
  tools: string[];
}

export async function identityOf(store: Store, agentId: string): Promise<Identity> {
  const [row] = await store.rows('identities', 'where agent_id = ?', [agentId]);
  const { tools = [] } = row ? (JSON.parse(row.data) as { tools?: string[] }) : {};
  return { version: row?.version ?? 0, mode: row?.mode ?? 'autonomous', tools };
}
