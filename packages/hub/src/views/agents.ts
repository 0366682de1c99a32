// Agents as they are shown, in a constant number of reads however many there are.

import { agentStatus, hasPrivateNotes } from '@parley/core';
import type { Agent } from '@parley/protocol';
import { madeOf } from '../engine/steps/membership/agent-identities.ts';
import { isHere } from '../engine/steps/tasks/tasks.ts';
import type { Reader } from '../store/port.ts';
import { openTaskStates } from '../store/reads/tasks.ts';
import type { MemberRow } from '../store/tables.ts';
import { showColumns } from './row-views.ts';
import { type WakingVisibility, wakingViews, wokenOf } from './manifest-waking.ts';

/** `sees`: whether the triggers of this owner's agents are shown; a text for many leaves them out. */
export async function agentViews(
  reader: Reader,
  members: MemberRow[],
  now: number,
  sees: WakingVisibility = () => false,
): Promise<Agent[]> {
  if (members.length === 0) return [];
  const ids = members.map((member) => member.id);
  const [agents, identities, open, wokens] = await Promise.all([
    reader.rows('agents', { member_id: ids }),
    reader.rows('identities', { agent_id: ids }),
    openTaskStates(reader, ids),
    wokenOf(reader, ids),
  ]);
  const agentOf = new Map(agents.map((agent) => [agent.member_id, agent]));
  const modes = new Map(identities.map((identity) => [identity.agent_id, identity.mode]));
  const noted = new Set(identities.filter((row) => hasPrivateNotes(madeOf(row).memory)).map(({ agent_id }) => agent_id));
  const modeOf = (id: string) => modes.get(id) ?? 'autonomous';
  const brought = members.flatMap((agent) => {
    const manifestId = agentOf.get(agent.id)?.manifest_id ?? null;
    return manifestId === null ? [] : [{ agent, manifestId, mode: modeOf(agent.id) }];
  });
  const waking = await wakingViews(reader, brought, sees);
  const statesOf = Map.groupBy(open, (row) => row.agent_id);
  return members.map((member): Agent => {
    const agent = agentOf.get(member.id);
    const asleepUntil = agent?.asleep_until ?? null;
    const states = (statesOf.get(member.id) ?? []).map((row) => row.state);
    const woken = wokens.get(member.id) ?? null;
    return {
      ...showColumns(member, 'id, handle, display_name, about, owner_id'),
      manifestId: agent?.manifest_id ?? null,
      relayAddress: agent?.relay_address ?? null,
      brain: agent?.brain ?? 'remote',
      status: agentStatus(
        { online: isHere(agent) && member.status === 'active', asleep: asleepUntil !== null && asleepUntil > now },
        states,
        woken,
      ),
      maxConcurrent: agent?.max_concurrent ?? 1,
      asleepUntil,
      mode: modeOf(member.id),
      woken,
      waking: waking.get(member.id) ?? null,
      privateNotes: member.owner_id !== null && noted.has(member.id),
    };
  });
}
