// An agent gets another owner (SYS-14): the old tokens end, and the new owner accepts it first. One whose owner left is paused
// until then.

import type { Actor } from '@parley/core';
import type { AgentHandoverRow, CheckpointRow, MemberRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { handBack } from '../agents/brains.ts';
import { close, openCheckpoint } from '../facts/checkpoints.ts';
import { change } from '../membership/members.ts';
import { arrive, depart } from '../agents/presence.ts';
import { agentOf, isPaused, pausedOnline, runsInHub } from '../tasks/tasks.ts';
import { revoke, revokeAll } from '../people/tokens.ts';

/** At once: the new owner asked for it, or the operator did. */
export function giveAgent(agent: MemberRow, ownerId: string, actor: Actor, set: WorkingSet, context: Context): MemberRow {
  const given = move(agent, ownerId, actor, set, context);
  resume(agent.id, set, context);
  return given;
}

function move(agent: MemberRow, ownerId: string, actor: Actor, set: WorkingSet, context: Context): MemberRow {
  withdrawHandover(agent.id, set, context);
  revokeAll(agent.id, actor, set, context);
  return change(agent, { owner_id: ownerId }, actor, set, context);
}

/** Asks the new owner. Until they accept, a paused agent does nothing, and one that is not stays its owner's. */
export function offerAgent(agentId: string, ownerId: string, paused: boolean, set: WorkingSet, context: Context): void {
  withdrawHandover(agentId, set, context);
  const { id } = openCheckpoint({ kind: 'agent_handover', for: ownerId, subjectId: agentId, data: { agents: [agentId] } }, set, context);
  set.insert('agent_handovers', { agent_id: agentId, owner_id: ownerId, paused: paused ? 1 : 0, checkpoint_id: id, at: context.now });
}

/** Nobody is asked any more; the person who was sees it closed. */
export function withdrawHandover(agentId: string, set: WorkingSet, context: Context): void {
  const row = set.get('agent_handovers', agentId);
  if (!row) return;
  set.remove('agent_handovers', row);
  const checkpoint = set.get('checkpoints', row.checkpoint_id);
  if (checkpoint?.open === 1) close(checkpoint, null, null, set, context);
}

/** An offer that nobody accepted yet is taken back; what is paused waits on. */
export function withdrawOffer(agentId: string, set: WorkingSet, context: Context): void {
  if (set.get('agent_handovers', agentId)?.paused === 0) withdrawHandover(agentId, set, context);
}

/** An agent that was offered to a leaving person stays where it is. */
export function withdrawOffersTo(memberId: string, set: WorkingSet, context: Context): void {
  for (const row of set.find('agent_handovers', 'owner', memberId)) if (row.paused === 0) withdrawHandover(row.agent_id, set, context);
}

/** Its owner left: the heir answers for it, and it begins nothing before the heir accepts. */
export function inheritAgent(agent: MemberRow, heirId: string, actor: Actor, set: WorkingSet, context: Context): void {
  move(agent, heirId, actor, set, context);
  if (agent.status !== 'active') return;
  pause(agent.id, set, context);
  offerAgent(agent.id, heirId, true, set, context);
}

export function pause(agentId: string, set: WorkingSet, context: Context): void {
  if (isPaused(agentOf(agentId, set))) return;
  handBack(agentId, set, context);
  depart(agentOf(agentId, set), set, context, pausedOnline);
}

/** One that was declined and is let in again asks its owner again. */
export function askAgain(agent: MemberRow, actor: Actor, set: WorkingSet, context: Context): void {
  if (!isPaused(agentOf(agent.id, set))) return;
  if (actor.type === 'member' && agent.owner_id !== actor.id) offerAgent(agent.id, agent.owner_id!, true, set, context);
  else resume(agent.id, set, context);
}

function resume(agentId: string, set: WorkingSet, context: Context): void {
  const agent = agentOf(agentId, set);
  if (!isPaused(agent)) return;
  // A remote one comes with a token that its new owner makes.
  if (runsInHub(agent)) arrive(agent, new Map(), set, context, 0);
  else set.update('agents', agent, { online: 0 });
}

/** The answer of the one who is asked. Declined, an agent without another owner is left deactivated. */
export function answerHandover(
  checkpoint: CheckpointRow,
  accepted: boolean,
  actor: Actor,
  set: WorkingSet,
  context: Context,
  deactivate: (agent: MemberRow) => void,
): void {
  const row: AgentHandoverRow | undefined = set.get('agent_handovers', checkpoint.subject_id!);
  const agent = set.get('members', checkpoint.subject_id!);
  if (row?.checkpoint_id !== checkpoint.id || agent?.status !== 'active') return;
  set.remove('agent_handovers', row);
  if (accepted) {
    revokeAll(agent.id, actor, set, context);
    change(agent, { owner_id: row.owner_id }, actor, set, context);
    resume(agent.id, set, context);
  } else if (row.paused === 1) deactivate(agent);
}

/** A token that a member made for an agent is worth what the member may do now. `of`: for which agents it is to end. */
export function endTokensMadeBy(makerId: string, of: (agent: MemberRow) => boolean, actor: Actor, set: WorkingSet, context: Context): void {
  const made = set.find('tokens', 'creator', makerId).filter(({ kind, revoked_at }) => kind === 'agent' && revoked_at === null);
  set.need(made.map(({ member_id }) => ({ table: 'members', values: [member_id] })));
  for (const token of made) if (of(set.get('members', token.member_id)!)) revoke(token, actor, set, context);
}
