// Every door where an agent reads without a tool asks this: whether the agent's mode lets it.

import { approvalResults, contactResults, approvalReasonFor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import type { By } from '../engine/command.ts';
import type { ReadFrom } from './agent-reads.ts';

/** Most agents need not ask: that is seen without a command. */
export async function mayReadNow(
  { store, engine }: ReadFrom,
  who: { by: By; agentId: string; taskId: string },
  name: string,
  input: object,
): Promise<void> {
  const [identity] = await store.rows('identities', { agent_id: who.agentId });
  const mode = identity?.mode ?? 'autonomous';
  if (approvalReasonFor({ kind: 'tool', name, readOnly: true }, { mode, tainted: false }) === null) return;
  const { verdict } = await engine.submit({ type: 'task.read', ...who, name, input });
  if (verdict === 'pending') throw new ParleyError('needs_approval', contactResults.waiting());
  if (verdict === 'denied') throw new ParleyError('needs_approval', approvalResults.denied({ agent: '', name }));
}
