// The offers to anyone, or to the holders of a role, kept right: offered while somebody is there who could take them,
// waiting while nobody is. Called wherever an agent comes, goes, sleeps, wakes, or enters or leaves a room. Core decides
// who may; here are the rows.

import { mayTake, type Taker } from '@parley/core';
import { type Want, wantBy } from '../../../store/port.ts';
import type { ConversationRow, TaskRow } from '../../../store/tables.ts';
import type { Context, Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { callRefused, callWants, blockedWants, isBlocked } from '../people/contact-rules.ts';
import { leaveRequestsIn, leftWants, threadParticipants } from '../conversations/participants.ts';
import { notify, agentLock } from '../facts/append.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { agentsOf } from '../conversations/addressable-members.ts';
import { settleRounds } from './offer-rounds.ts';
import { isUnaddressed } from '../tasks/chains.ts';
import { agentOf, gatherTasks, homeOf, isAsleep, isHere, moveTask, settleChain } from '../tasks/tasks.ts';
import { windowOf, windowWants } from '../messages/composing-windows.ts';

interface Whom {
  among?: readonly string[];
  /** The agents are claiming at this moment, by whatever door, and so count as there. */
  claiming?: boolean;
  /** Agents that are offline or asleep count as well. */
  later?: boolean;
  /** Assumes that the requester had said all of it. */
  whole?: boolean;
  lock?: Context['lock'];
}

/** Of each task that nobody has, the agents that may take it now; of these agents, or of all in its room. */
export function takersOf(
  tasks: readonly TaskRow[],
  set: WorkingSet,
  now: number,
  { among, claiming = false, later = false, whole = false, lock = () => {} }: Whom = {},
): Map<string, string[]> {
  const assumed = later ? { here: true, asleep: false } : claiming ? { here: true } : {};
  const homes = homesOf(tasks, set);
  const present = among ? undefined : agentsOf(new Set(homes.values()), set);
  const candidates = (home: ConversationRow): readonly string[] => among ?? present!.get(home.id)!;
  const all = [...new Set([...homes.values()].flatMap(candidates))];
  lock(...all.map(agentLock));
  set.need([
    ...all.flatMap((id): Want[] => [{ table: 'members', values: [id] }, { table: 'agents', values: [id] }, blockedWants(id)]),
    ...[...new Set(homes.values())].flatMap((home) =>
      candidates(home).map((id): Want => ({ table: 'memberships', values: [home.id, id] })),
    ),
    ...tasks.flatMap((task): Want[] => [
      ...leftWants(set.get('conversations', task.conversation_id)!),
      wantBy('tasks', 'message', task.message_id),
      wantBy('task_words', 'message', task.message_id),
      { table: 'task_roles', values: [task.id] },
      wantBy('offers', 'message', task.message_id),
      { table: 'messages', values: [task.message_id] },
      { table: 'chains', values: [task.chain_id] },
    ]),
    ...windowWants(tasks),
  ]);
  set.need(
    tasks.filter(isFromAgent).flatMap((task) => [{ table: 'members', values: [task.requester_id] }, ...callWants(task.requester_id, all)]),
  );
  set.need(tasks.flatMap((task) => wordsOn(task, set).map((word): Want => ({ table: 'tasks', values: [word.task_id] }))));
  set.need(tasks.flatMap((task) => roleOf(task, set).map((id): Want => wantBy('role_holders', 'role', id))));
  return new Map(
    tasks.map((task) => {
      const home = homes.get(task.id)!;
      const composing = !whole && windowOf(task, set) !== undefined;
      const offered = { requesterId: task.requester_id, path: JSON.parse(task.path) as string[], composing };
      return [task.id, candidates(home).filter((id) => mayTake({ ...taker(id, task, home, set, now), ...assumed }, offered).ok)];
    }),
  );
}

function taker(id: string, task: TaskRow, home: ConversationRow, set: WorkingSet, now: number): Taker {
  const joined = set.get('memberships', home.id, id);
  const member = set.get('members', id);
  const messageTasks = [
    ...set.find('tasks', 'message', task.message_id),
    ...wordsOn(task, set).map((word) => set.get('tasks', word.task_id)!),
  ];
  return {
    id,
    active: member?.kind === 'agent' && member.status === 'active',
    ...presenceOf(id, set, now),
    member: joined !== undefined,
    askedToLeave: leaveRequestsIn(set.get('conversations', task.conversation_id)!, set).has(id),
    before: joined !== undefined && home.history === 'joined' && liesBefore(task.seq, joined.joined_seq),
    // Two roles are two requests: who holds both may have both.
    calledByName: messageTasks.some((other) => other.agent_id === id && !(other.addressed_by === 'role' && task.addressed_by === 'role')),
    holds: roleOf(task, set).every((role) => set.find('role_holders', 'role', role).some(({ member_id }) => member_id === id)),
    partakes:
      task.addressed_by === 'any_agent' && isUnaddressed(task, set)
        ? threadParticipants(set.get('conversations', task.conversation_id)!, home, set).has(id)
        : true,
    blocks: isBlocked(id, [task.requester_id, set.get('chains', task.chain_id)?.requester_id ?? null], set),
    barred: isFromAgent(task) && member !== undefined && callRefused(set.get('members', task.requester_id)!, member, set) !== undefined,
    letGo: set
      .find('offers', 'message', task.message_id)
      .some((offer) => offer.agent_id === id && offer.task_id === task.id && (offer.state === 'declined' || offer.state === 'expired')),
  };
}

/** A role that an agent called, inside its own task. */
const isFromAgent = (task: TaskRow): task is TaskRow & { requester_id: string } => task.parent_id !== null && task.requester_id !== null;

/** The role it was asked of, if any. */
function roleOf(task: TaskRow, set: WorkingSet): string[] {
  const role = set.get('task_roles', task.id);
  return role ? [role.role_id] : [];
}

export function presenceOf(id: string, set: WorkingSet, now: number): Pick<Taker, 'here' | 'asleep'> {
  const record = agentOf(id, set);
  return { here: isHere(record), asleep: isAsleep(record, now) };
}

/** Tasks that the same words go on with. */
const wordsOn = (task: TaskRow, set: WorkingSet) => set.find('task_words', 'message', task.message_id);

function homesOf(tasks: readonly TaskRow[], set: WorkingSet): Map<string, ConversationRow> {
  set.need(tasks.map((task) => ({ table: 'conversations', values: [task.conversation_id] })));
  set.need(
    tasks.flatMap((task) => {
      const { parent_id } = set.get('conversations', task.conversation_id)!;
      return parent_id === null ? [] : [{ table: 'conversations' as const, values: [parent_id] }];
    }),
  );
  return new Map(tasks.map((task) => [task.id, homeOf(task.conversation_id, set)]));
}

const forAnyone = ['any_agent', 'role'] as const;
const anyonesWants = forAnyone.map((by) => wantBy('tasks', 'anyone', by, 1));

/** Open, and not taken by any agent yet. */
export function anyonesTasks(set: WorkingSet): TaskRow[] {
  set.need(anyonesWants);
  return forAnyone.flatMap((by) => set.find('tasks', 'anyone', by, 1)).filter((task) => task.agent_id === null);
}

/** Somebody came or went in these rooms: what waits there for anyone, in their threads as well, is offered or withdrawn. */
export function settleOffers(homeIds: Iterable<string>, tx: Tx): void {
  tx.need([...anyonesWants, wantBy('rounds', 'open', 1)]);
  const concerned = new Set(homeIds);
  settleRounds(concerned, tx);
  const unclaimed = anyonesTasks(tx);
  if (unclaimed.length === 0) return;
  const homes = homesOf(unclaimed, tx);
  const here = unclaimed.filter((task) => concerned.has(homes.get(task.id)!.id));
  if (here.length === 0) return;
  gatherTasks(here, tx);
  const takers = takersOf(here, tx, tx.now, { lock: tx.lock });
  for (const task of here) {
    const able = takers.get(task.id)!.length > 0;
    if (able === (task.state === 'offered')) continue;
    if (able) moveTask(task, 'offer', {}, tx);
    else withdraw(task, homes.get(task.id)!.id, tx);
    settleChain(task.chain_id, tx);
  }
}

export function withdraw(task: TaskRow, homeId: string, tx: Tx): void {
  moveTask(task, 'yield', {}, tx, { why: 'nobody_available' });
  notifyWaiting(task, homeId, tx);
}

/** Nobody is there to take it. */
export function notifyWaiting(task: TaskRow, homeId: string, tx: Tx): void {
  if (task.requester_id === null || task.parent_id !== null) return;
  const about = { kind: 'nobody_available', conversation: task.conversation_id, message: task.message_id, task: task.id } as const;
  notify(task.requester_id, homeId, about, tx, task.chain_id);
}

/** The rows that offers are decided by. */
export const offersWants = (memberId: string): Want[] => [
  ...anyonesWants,
  wantBy('rounds', 'open', 1),
  wantBy('memberships', 'member', memberId),
];

/** In every room these are in. */
export function settleOffersFor(memberIds: readonly string[], tx: Tx): void {
  if (memberIds.length === 0) return;
  tx.need(memberIds.flatMap(offersWants));
  const homes = memberIds.flatMap((id) => tx.find('memberships', 'member', id).map((joined) => joined.conversation_id));
  settleOffers(homes, tx);
}
