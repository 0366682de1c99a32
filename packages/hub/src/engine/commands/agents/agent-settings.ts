// A person's settings of an agent: its brain, its mode, how much it does at once, and until when it sleeps.

import { wantRow } from '../../../store/port.ts';
import type { Actor, BehaviourMode } from '@parley/core';
import type { AgentRow, MemberRow } from '../../../store/tables.ts';
import { agentToChange, type Handler, invalidField, type Tx } from '../../command.ts';
import { agentChanged, putAgent, giveBrain } from '../../steps/agents/agents.ts';
import { aboutMember, agentLock, append } from '../../steps/facts/append.ts';
import { blankIdentity, mustBeOurs, wholeNow, writeIdentity } from '../../steps/membership/agent-identities.ts';
import { settleOffersFor } from '../../steps/offers/offers.ts';
import { agentOf } from '../../steps/tasks/tasks.ts';
import { setTimer } from '../../steps/facts/timers.ts';

export interface AgentSettingsCommands {
  'agent.edit': [
    {
      memberId: string;
      change: {
        brain?: AgentRow['brain'] | undefined;
        maxConcurrent?: number | undefined;
        asleepUntil?: number | null | undefined;
        mode?: BehaviourMode | undefined;
      };
    },
    { member: MemberRow; agent: AgentRow },
  ];
}

const edit: Handler<'agent.edit'> = {
  locks: (c) => [agentLock(c.memberId)],
  needs: (c) => [wantRow('members', c.memberId), wantRow('agents', c.memberId)],
  decide: (c, tx) => {
    const { actor, agent: member } = agentToChange('agent.edit', { by: c.by, agentId: c.memberId }, tx);
    const { brain, maxConcurrent, asleepUntil, mode } = c.change;
    if (brain !== undefined && brain !== agentOf(member.id, tx).brain) changeBrain(member, brain, actor, tx);
    if (mode !== undefined) changeMode(member, mode, actor, tx);
    const agent = putAgent(
      agentOf(member.id, tx),
      {
        ...(maxConcurrent === undefined ? {} : { max_concurrent: maxConcurrent }),
        ...(asleepUntil === undefined ? {} : { asleep_until: asleepUntil }),
      },
      tx,
    );
    if (asleepUntil !== undefined) setTimer('agent.wake', member.id, 'wall', asleepUntil, tx);
    append(tx, { type: 'agent.edited', actor, ...aboutMember(member.id), data: c.change });
    if (asleepUntil !== undefined) settleOffersFor([member.id], tx);
    agentChanged(member.id, tx);
    return { member, agent };
  },
};

/** An agent with an identity has its brain there; any other agent has it in its row. */
function changeBrain(member: MemberRow, kind: AgentRow['brain'], actor: Actor, tx: Tx): void {
  mustBeOurs(member.id, member.handle, tx);
  if (kind === 'model') throw invalidField('brain', 'the model is part of its identity: set it there');
  const row = tx.get('identities', member.id);
  const { brain } = blankIdentity(kind);
  if (row) writeIdentity(member, { ...wholeNow(member, row, tx), brain }, { actor, source: 'api' }, tx);
  else giveBrain(member.id, brain, undefined, tx);
}

function changeMode(member: MemberRow, mode: BehaviourMode, actor: Actor, tx: Tx): void {
  mustBeOurs(member.id, member.handle, tx);
  const now = wholeNow(member, tx.get('identities', member.id), tx);
  if (now.mode !== mode) writeIdentity(member, { ...now, mode }, { actor, source: 'api' }, tx);
}

export const agentSettingsHandlers = { 'agent.edit': edit };
