// Agents come and go, and say how far they have read.

import { wantRow } from '../../../store/port.ts';
import { ParleyError } from '@parley/protocol';
import type { AgentRow } from '../../../store/tables.ts';
import { actorOf, agentIdOf, type Handler, mustBeSystem } from '../../command.ts';
import { putAgent } from '../../steps/agents/agents.ts';
import { agentLock } from '../../steps/facts/append.ts';
import { hasWebhook, madeOf } from '../../steps/membership/agent-identities.ts';
import { arrive, type ArrivalResult, depart, presenceWants } from '../../steps/agents/presence.ts';
import { agentOf } from '../../steps/tasks/tasks.ts';
import type { WorkingSet } from '../../working-set.ts';

export interface AgentPresenceCommands {
  /** A connection was made: it is the one that counts from now on. */
  'agent.connect': [{ holds?: readonly { taskId: string; lease: number }[] | undefined }, ArrivalResult];
  /** The connection ended. Does nothing when a later one has taken its place. */
  'agent.disconnect': [{ agentId: string; session: number }, void];
  /** Whether the webhook of a webhook agent answers. */
  'agent.answers': [{ agentId: string; answers: boolean }, { agent: AgentRow }];
  /** The agent has all events up to here. */
  'agent.ack': [{ session: number; cursor: number; agentId?: string }, { acked: number }];
}

const connect: Handler<'agent.connect'> = {
  locks: (c) => ('memberId' in c.by ? [agentLock(c.by.memberId)] : []),
  needs: (c) => ('memberId' in c.by ? [...presenceWants(c.by.memberId)] : []),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    if (actor.type !== 'member' || actor.kind !== 'agent')
      throw new ParleyError('forbidden', 'Only agents connect here.', { reason: 'agent.connect:not_an_agent' });
    const before = agentOf(actor.id, tx);
    if (before.brain !== 'remote')
      throw new ParleyError('forbidden', 'This agent runs inside the hub.', { reason: `agent.connect:${before.brain}` });
    if (usesWebhook(actor.id, tx))
      throw new ParleyError('forbidden', 'This agent gets its deliveries over its webhook.', { reason: 'agent.connect:webhook' });
    return arrive(before, new Map(c.holds?.map(({ taskId, lease }) => [taskId, lease])), tx);
  },
};

const disconnect: Handler<'agent.disconnect'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: (c) => presenceWants(c.agentId),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const agent = agentOf(c.agentId, tx);
    if (agent.session === c.session && agent.online === 1) depart(agent, tx);
  },
};

function usesWebhook(agentId: string, set: WorkingSet): boolean {
  const row = set.get('identities', agentId);
  return row !== undefined && hasWebhook(madeOf(row));
}

const answers: Handler<'agent.answers'> = {
  locks: (c) => [agentLock(c.agentId)],
  needs: (c) => presenceWants(c.agentId),
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    if (!usesWebhook(c.agentId, tx)) throw new ParleyError('forbidden');
    const agent = agentOf(c.agentId, tx);
    if (c.answers && agent.online === 0) return { agent: arrive(agent, new Map(), tx).agent };
    if (!c.answers && agent.online === 1) depart(agent, tx);
    return { agent: agentOf(c.agentId, tx) };
  },
};

const ack: Handler<'agent.ack'> = {
  locks: (c) => [agentLock(agentIdOf(c) ?? '')],
  needs: (c) => [wantRow('agents', agentIdOf(c) ?? '')],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    const id = actor.type === 'member' ? actor.id : c.agentId;
    if (id === undefined) throw new ParleyError('forbidden');
    const agent = agentOf(id, tx);
    if (agent.session !== c.session) throw new ParleyError('stale_lease', 'Another connection of this agent has taken over.');
    // The cursor never moves back: an old acknowledgement that arrives late says nothing new.
    if (c.cursor <= agent.acked) return { acked: agent.acked };
    return { acked: putAgent(agent, { acked: c.cursor }, tx).acked };
  },
};

export const agentPresenceHandlers = {
  'agent.connect': connect,
  'agent.disconnect': disconnect,
  'agent.answers': answers,
  'agent.ack': ack,
};
