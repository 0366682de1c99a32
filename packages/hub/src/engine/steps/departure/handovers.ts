// Agents, triggers and other definitions get another owner.

// An agent gets another owner (SYS-14): the old tokens end, and the new owner accepts it first, as it was when it was offered. One
// whose owner left is paused until then.

import { type Actor, handOverObject } from '@parley/core';
import { wantRow } from '../../../store/port.ts';
import type { AgentHandoverRow, CheckpointRow, MemberRow, TokenRow, EventRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { handBack } from '../agents/agents.ts';
import { agentLock, notify } from '../facts/append.ts';
import { close, dataOf, openCheckpoint, type OfferedAgent } from '../facts/checkpoints.ts';
import { sha256 } from '../../ids.ts';
import { wholeNow } from '../membership/agent-identities.ts';
import { change, firstOwner } from '../membership/members.ts';
import { arrive, depart } from '../agents/presence.ts';
import { agentOf, isPaused, pausedOnline, runsInHub } from '../tasks/tasks.ts';
import { revoke, revokeAll } from '../people/tokens.ts';
import type { PapEvent } from '@parley/protocol';
import { eraseAuditArguments } from '../facts/audit-entries.ts';
import { scrubLater } from './erase-message.ts';
import { provokeLock } from '../triggers/triggers-in-force.ts';
import { bodyOf, keptOf, leftOff, objectWants, writeObject } from '../invocations/stored-definitions.ts';

type Hands = Pick<MemberRow, 'owner_id' | 'manager_id'>;

/** At once: the new owner asked for it, or the operator did. A manager reads its DMs, so the old owner's does not stay by itself. */
export function giveAgent(agent: MemberRow, to: Hands, actor: Actor, tx: Tx): MemberRow {
  const handedOver = move(agent, to, actor, tx);
  if (agent.owner_id !== null && agent.owner_id !== handedOver.owner_id)
    notify(agent.owner_id, null, { kind: 'agent_given', conversation: '', agent: agent.id, member: handedOver.owner_id! }, tx);
  resume(agent.id, tx);
  return handedOver;
}

function move(agent: MemberRow, to: Partial<Hands>, actor: Actor, tx: Tx): MemberRow {
  withdrawHandover(agent.id, tx);
  revokeAll(agent.id, actor, tx);
  return change(agent, to, actor, tx);
}

/**
 * The agent as the new owner is asked to accept it. The agent's tokens end with the acceptance, however many there are
 * then.
 */
function offeredNow(agentId: string, tx: Tx): OfferedAgent {
  const member = tx.get('members', agentId)!;
  const identity = tx.get('identities', agentId);
  const isAlive = (token: TokenRow) => token.revoked_at === null && (token.expires_at === null || token.expires_at > tx.now);
  const summary = { ...wholeNow(member, identity, tx), ...settingsNow(agentId, tx) };
  return {
    version: identity?.version ?? 0,
    hash: sha256(JSON.stringify(summary)),
    tokens: tx.find('tokens', 'member', agentId).filter(isAlive).length,
    ...(member.manager_id === null ? {} : { manager: member.manager_id }),
  };
}

/** The owner's settings beside the agent's identity, which come with the agent. */
function settingsNow(agentId: string, set: WorkingSet) {
  const rules = set
    .find('contact_rules', 'agent', agentId)
    .map(({ target, permission, requires_approval: asks }) => `${target} ${permission} ${asks}`);
  const targetIds = set.find('approved_pairs', 'agent', agentId).map(({ target_id }) => target_id);
  const digests = set
    .find('mailboxes', 'member', agentId)
    .flatMap(({ conversation_id: place, digest_ms: every }) => (every === null ? [] : [`${place} ${every}`]));
  return { most: agentOf(agentId, set).max_concurrent, rules: rules.sort(), pairs: targetIds.sort(), digests: digests.sort() };
}

/** Each offer is a question to answer, and an agent costs its giver nothing. */
const mostOffers = 3;

/** Whether the owner may offer the agent to this person in addition to earlier offers. */
export function mayOffer(agent: MemberRow, ownerId: string, set: WorkingSet): boolean {
  const open = set.find('agent_handovers', 'owner', ownerId).filter(({ agent_id, paused }) => paused === 0 && agent_id !== agent.id);
  set.need(open.map(({ agent_id }) => wantRow('members', agent_id)));
  return open.filter(({ agent_id }) => set.get('members', agent_id)?.owner_id === agent.owner_id).length < mostOffers;
}

/** Asks the new owner. Until they accept, a paused agent does nothing, and one that is not stays its owner's. */
export function offerAgent(agentId: string, ownerId: string, paused: boolean, tx: Tx): void {
  withdrawHandover(agentId, tx);
  const data = { agents: [agentId], offered: offeredNow(agentId, tx) };
  const { id } = openCheckpoint({ kind: 'agent_handover', for: ownerId, subjectId: agentId, data }, tx);
  tx.insert('agent_handovers', { agent_id: agentId, owner_id: ownerId, paused: paused ? 1 : 0, checkpoint_id: id, at: tx.now });
}

/** Withdraws the offer; the person who had it sees it closed. */
export function withdrawHandover(agentId: string, tx: Tx): void {
  const row = tx.get('agent_handovers', agentId);
  if (!row) return;
  tx.remove('agent_handovers', row);
  const checkpoint = tx.get('checkpoints', row.checkpoint_id);
  if (checkpoint?.open === 1) close(checkpoint, null, null, tx);
}

/** Takes back an offer that nobody accepted yet; a paused agent waits on. */
export function withdrawOffer(agentId: string, tx: Tx): void {
  if (tx.get('agent_handovers', agentId)?.paused !== 0) return;
  withdrawHandover(agentId, tx);
  askOwner(agentId, tx);
}

/** An heir offered the agent on before accepting it: nobody else would ask the heir again. */
function askOwner(agentId: string, tx: Tx): void {
  const owner = tx.get('members', agentId)?.owner_id;
  if (owner && isPaused(agentOf(agentId, tx))) offerAgent(agentId, owner, true, tx);
}

/** An agent that was offered to a leaving person stays where it is. */
export function withdrawOffersTo(memberId: string, tx: Tx): void {
  for (const row of tx.find('agent_handovers', 'owner', memberId)) withdrawOffer(row.agent_id, tx);
}

/** The owner left: the heir answers for the agent, which begins nothing before the heir accepts. */
export function inheritAgent(agent: MemberRow, heirId: string, actor: Actor, tx: Tx): void {
  move(agent, { owner_id: heirId }, actor, tx);
  if (agent.status !== 'active') return;
  pause(agent.id, tx);
  offerAgent(agent.id, heirId, true, tx);
}

export function pause(agentId: string, tx: Tx): void {
  if (isPaused(agentOf(agentId, tx))) return;
  handBack(agentId, tx);
  depart(agentOf(agentId, tx), tx, pausedOnline);
}

/** A declined agent that is added again needs its owner's approval again. */
export function askAgain(agent: MemberRow, actor: Actor, tx: Tx): void {
  if (!isPaused(agentOf(agent.id, tx))) return;
  if (actor.type === 'member' && agent.owner_id !== actor.id) offerAgent(agent.id, agent.owner_id!, true, tx);
  else resume(agent.id, tx);
}

function resume(agentId: string, tx: Tx): void {
  const agent = agentOf(agentId, tx);
  if (!isPaused(agent)) return;
  // A remote one comes with a token that its new owner makes.
  if (runsInHub(agent)) arrive(agent, new Map(), tx, 0);
  else tx.update('agents', agent, { online: 0 });
}

/**
 * The answer of the one who is asked. Declined, an agent without another owner is left deactivated. One that has changed since it was
 * offered is offered anew; the words for the person are returned.
 */
export function answerHandover(
  checkpoint: CheckpointRow,
  choice: string,
  actor: Actor,
  tx: Tx,
  deactivate: (agent: MemberRow) => void,
): string | undefined {
  const agentId = checkpoint.subject_id!;
  tx.lock(agentLock(agentId), `member:${agentId}`);
  const row: AgentHandoverRow | undefined = tx.get('agent_handovers', agentId);
  const agent = tx.get('members', agentId);
  if (row?.checkpoint_id !== checkpoint.id || agent?.status !== 'active') return undefined;
  if (choice !== 'decline' && dataOf(checkpoint).offered?.hash !== offeredNow(agentId, tx).hash) {
    offerAgent(agentId, row.owner_id, row.paused === 1, tx);
    return `^${agent.handle} has changed since it was offered to you, so you did not become its owner. A new offer is in your inbox: read it, then accept that one.`;
  }
  tx.remove('agent_handovers', row);
  if (choice !== 'decline') {
    const manager_id = choice === 'keep_manager' ? agent.manager_id : null;
    giveAgent(agent, { owner_id: row.owner_id, manager_id }, actor, tx);
  } else if (row.paused === 1) deactivate(agent);
  else askOwner(agentId, tx);
  return undefined;
}

/** A token that a member made for an agent is worth what the member may do now. `of`: for which agents it is to end. */
export function endTokensMadeBy(makerId: string, of: (agent: MemberRow) => boolean, actor: Actor, tx: Tx): void {
  const made = tx.find('tokens', 'creator', makerId).filter(({ kind, revoked_at }) => kind === 'agent' && revoked_at === null);
  tx.need(made.map(({ member_id }) => wantRow('members', member_id)));
  for (const token of made) if (of(tx.get('members', token.member_id)!)) revoke(token, actor, tx);
}

// When a person leaves, what ran as them stops, and somebody else answers for it; with an erased one go their words in it.

export function handProvoked(memberId: string, heir: string | undefined, actor: Actor, tx: Tx): void {
  const owned = tx.find('provoke_objects', 'owner', memberId).filter(({ removed_at }) => removed_at === null);
  if (owned.length === 0) return;
  tx.lock(provokeLock);
  tx.need(owned.flatMap(({ kind, id }) => objectWants(kind, id)));
  tx.each(owned, (row) => {
    const { kind, file } = row;
    const handed = handOverObject(keptOf(row));
    const ownerId = (handed.to === 'first owner' ? firstOwner(tx, memberId) : null) ?? heir ?? memberId;
    const body = handed.leftOff ? leftOff(bodyOf(row)) : bodyOf(row);
    writeObject({ kind, body, ownerId, file, enabled: handed.enabled }, actor, tx);
  });
}

/** Erases earlier versions that the member wrote; the version in force belongs to another member. */
export function forgetProvoked(memberId: string, tx: Tx): void {
  const versions = tx.find('provoke_versions', 'author', memberId);
  tx.need(versions.map(({ kind, id }) => wantRow('provoke_objects', kind, id)));
  for (const version of versions) {
    const inForce = tx.get('provoke_objects', version.kind, version.id)?.version === version.version;
    tx.update('provoke_versions', version, { changed_by: null, ...(inForce ? {} : { body: JSON.stringify({ id: version.id }) }) });
  }
  if (versions.length > 0) scrubLater(tx);
}

/** Invocations refer to the event, so its row stays; its data is erased. */
export function eraseEvent(row: EventRow, tx: Tx): void {
  const { pap_version, id, type, source, time } = JSON.parse(row.body) as PapEvent;
  tx.update('events', row, { by_id: null, body: JSON.stringify({ pap_version, id, type, source, time, data: {} }) });
  eraseAuditArguments(row.chain_id, tx);
  scrubLater(tx);
}
