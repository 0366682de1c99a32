// The agent that acts in an invocation, and the chain of the invocation. An invocation is the owner's standing request
// (SYS-9): its agent is one that its owner could give orders to, and everything in it is bounded by the one chain.

import { type Actor, answersWith, type BehaviourMode, may, relationsToMember } from '@parley/core';
import { foldHandle, Handle, type Manifest, toOneLine } from '@parley/protocol';
import type { ChainRow, InvocationRow, MemberRow } from '../../../store/tables.ts';
import { memberFacts, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { agentMeant } from './meant-targets.ts';
import { accountOf, agentsOn } from '../budget/budget-accounts.ts';
import { isBounded } from '../triggers/triggers-in-force.ts';
import { agentChanged, modeOf, putAgent } from '../agents/agents.ts';
import { isFreeHandle } from '../people/handles.ts';
import { change, newMember } from '../membership/members.ts';
import { agentOf } from '../tasks/tasks.ts';
import { setTimer } from '../facts/timers.ts';
import { asActor } from '../tasks/task-access.ts';

/** In the version it was decided on. Undefined: that one is kept no longer, or was erased with its author. */
export function manifestOf({ manifest_id, manifest_version }: InvocationRow, set: WorkingSet): Manifest | undefined {
  const version = set.get('provoke_versions', 'manifest', manifest_id, manifest_version);
  const body = version && (JSON.parse(version.body) as Manifest);
  return body && 'limits' in body ? body : undefined;
}

/** Undefined: the manifest names one that is not there, or is not its owner's to send. */
export function actingAgent(manifest: Pick<Manifest, 'id' | 'handle' | 'description'>, owner: MemberRow, tx: Tx): MemberRow | undefined {
  return manifest.handle === undefined ? ownAgent(manifest, owner, tx) : namedAgent(manifest, owner, tx);
}

export function namedAgent({ id, handle }: Pick<Manifest, 'id' | 'handle'>, owner: MemberRow, set: WorkingSet): MemberRow | undefined {
  const agent = handle === undefined ? undefined : agentMeant(id, handle, set);
  if (agent?.kind !== 'agent' || agent.status !== 'active') return undefined;
  return may('agent.edit', asActor(owner), relationsToMember(asActor(owner), memberFacts(agent))).allowed ? agent : undefined;
}

const mostNamed = 20;

/** An agent of its own, made when it is first needed; by another name where somebody has its own already. */
function ownAgent({ id, description = '' }: Pick<Manifest, 'id' | 'description'>, owner: MemberRow, tx: Tx): MemberRow | undefined {
  const found = ownName(id, owner, tx);
  // Deactivated, it is to do nothing: another one in its place would do it all the same.
  if (typeof found !== 'string') return found?.status === 'active' ? found : undefined;
  if (isBounded(owner)) {
    const account = accountOf(owner.id, tx);
    tx.lock(`account:${account}`);
    if (agentsOn(account, tx).length >= tx.limits.agentsPerMember) return undefined;
  }
  const profile = { handle: found, displayName: found, about: aboutOf(description) };
  const made = newMember({ kind: 'agent', ...profile, role: 'member', ownerId: owner.id, managerId: null }, { type: 'platform' }, tx);
  putAgent(agentOf(made.id, tx), { brain: 'builtin', manifest_id: id }, tx);
  return made;
}

const aboutOf = (description: string): string => toOneLine(description).trim().slice(0, 500).toWellFormed();

type Described = Pick<Manifest, 'id' | 'description'>;

/**
 * The manifest describes its agents. A description that differs from the manifest's last one was written by somebody else,
 * and stays.
 */
export function updateDescription(before: Described, now: Described, actor: Actor, tx: Tx): void {
  const [was, is] = [aboutOf(before.description ?? ''), aboutOf(now.description ?? '')];
  if (was === is) return;
  const found = tx.each(new Set(foldsOf(now.id)), (fold) => tx.find('members', 'handle', fold)).flat();
  const named = found.filter(({ kind, about }) => kind === 'agent' && about === was);
  tx.need(named.flatMap(({ id }) => (['agents', 'identities'] as const).map((table) => ({ table, values: [id] }))));
  for (const agent of named) {
    if (tx.get('agents', agent.id)?.manifest_id !== now.id || tx.get('identities', agent.id)?.source === 'folder') continue;
    change(agent, { about: is }, actor, tx);
    agentChanged(agent.id, tx);
  }
}

/** The one there is, deactivated or not; or the name of the one that is to be made. Undefined: no name is left for it. */
function ownName(id: string, owner: MemberRow, set: WorkingSet): MemberRow | string | undefined {
  for (let n = 1; n <= mostNamed; n++) {
    const handle = handleOf(id, n);
    if (!Handle.safeParse(handle).success) continue;
    const [taken] = set.find('members', 'handle', foldHandle(handle));
    if (taken?.kind === 'agent' && taken.owner_id === owner.id && agentOf(taken.id, set).manifest_id === id) return taken;
    if (!taken && isFreeHandle(handle, set)) return handle;
  }
  return undefined;
}

/** Finds the agent for a reader, without creating it. */
export function ownAgentNow({ id }: Pick<Manifest, 'id'>, owner: MemberRow, set: WorkingSet): MemberRow | undefined {
  const found = ownName(id, owner, set);
  return typeof found === 'string' ? undefined : found;
}

/** How much the agent that would act does unasked. Undefined: it is not there yet. */
export function actingMode(manifest: Pick<Manifest, 'id' | 'handle'>, owner: MemberRow, set: WorkingSet): BehaviourMode | undefined {
  const agent = manifest.handle === undefined ? ownAgentNow(manifest, owner, set) : namedAgent(manifest, owner, set);
  return agent && modeOf(agent.id, set);
}

/** A manifest's id may be longer than a handle, and end otherwise. */
function handleOf(id: string, n: number): string {
  const tail = n === 1 ? '' : `-${n}`;
  return `${id.slice(0, 32 - tail.length).replace(/[._-]+$/, '')}${tail}`;
}

/** The folded forms of every name that an agent of the manifest may have. */
const foldsOf = (id: string): string[] => Array.from({ length: mostNamed }, (_, i) => foldHandle(handleOf(id, i + 1)));

/**
 * The agent that acts for an owner's triggers, of all agents that the manifest brought to that owner: a second one comes
 * when somebody leaves.
 */
export function actsOf<A extends Pick<MemberRow, 'handle_fold'>>(id: string, agents: readonly A[]): A | undefined {
  return foldsOf(id).flatMap((fold) => agents.find(({ handle_fold }) => handle_fold === fold) ?? [])[0];
}

/**
 * The first invocation of a chain begins it, and a later one takes it up again. The chain has no conversation until
 * somebody speaks in one.
 */
export function invocationChain(invocation: InvocationRow, tx: Tx): ChainRow {
  const { limits, now } = tx;
  const chain = tx.get('chains', invocation.chain_id);
  const reopened = { ended_at: null, runs_until: null, left_ms: limits.runMs };
  if (chain) {
    const requester_id = answersWith(chain.requester_id, invocation.owner_id);
    const open = requester_id === chain.requester_id ? chain : tx.update('chains', chain, { requester_id });
    return open.ended_at === null ? open : tx.update('chains', open, reopened);
  }
  const made: ChainRow = {
    id: invocation.chain_id,
    requester_id: invocation.owner_id,
    conversation_id: '',
    message_id: '',
    started_at: now,
    outer_at: now + limits.outerMs,
    tasks: 0,
    turns: 0,
    micros: 0,
    ...reopened,
  };
  tx.insert('chains', made);
  return made;
}

/** A task is opened in it: from now on it has a place, and an outer limit that is watched. */
export function chainAt(chain: ChainRow, conversationId: string, messageId: string, tx: Tx): void {
  if (chain.conversation_id === '') tx.update('chains', chain, { conversation_id: conversationId, message_id: messageId });
  setTimer('chain.outer', chain.id, 'wall', chain.outer_at, tx);
}
