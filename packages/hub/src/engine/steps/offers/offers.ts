// The offers to anyone, or to the holders of a role, kept right: offered while somebody is there who could take them,
// waiting while nobody is. Called wherever an agent comes, goes, sleeps, wakes, or enters or leaves a room. Core decides
// who may; here are the rows.

import { mayTake, type Taker } from '@parley/core';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, TaskRow } from '../../../store/tables.ts';
import type { Context, Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { callRefused, callWants, blockedWants, isBlocked } from '../people/contact-rules.ts';
import { leaveRequestsIn, leftWants, threadParticipants } from '../conversations/participants.ts';
import { agentLock } from '../facts/append.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { agentsOf } from '../conversations/addressable-members.ts';
import { settleRounds } from './offer-rounds.ts';
import { homesOf, isUnaddressed } from '../tasks/chains.ts';
import { agentOf, gatherTasks, isAsleep, isHere, moveTask, settleChain } from '../tasks/tasks.ts';
import { tasksOn } from '../tasks/task-access.ts';
import { notifyRequester } from '../tasks/transitions.ts';
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

/** The agents that may claim each unclaimed task, chosen from these agents or from all members of its conversation. */
export function takersOf(
  tasks: readonly TaskRow[],
  set: WorkingSet,
  now: number,
  { among, claiming = false, later = false, whole = false, lock = () => {} }: Whom = {},
): Map<string, string[]> {
  const assumed = later ? { here: true, asleep: false } : claiming ? { here: true } : {};
  const homes = new Map(homesOf(tasks, set).map((home, i) => [tasks[i]!.id, home]));
  const present = among ? undefined : agentsOf(new Set(homes.values()), set);
  const candidates = (home: ConversationRow): readonly string[] => among ?? present!.get(home.id)!;
  const all = [...new Set([...homes.values()].flatMap(candidates))];
  lock(...all.map(agentLock));
  set.need([
    ...all.flatMap((id) => [wantRow('members', id), wantRow('agents', id), blockedWants(id)]),
    ...[...new Set(homes.values())].flatMap((home) => candidates(home).map((id) => wantRow('memberships', home.id, id))),
    ...tasks.flatMap((task) => [
      ...leftWants(set.get('conversations', task.conversation_id)!),
      ...(['tasks', 'task_words', 'offers'] as const).map((table) => wantBy(table, 'message', task.message_id)),
      wantRow('task_roles', task.id),
      wantRow('messages', task.message_id),
      wantRow('chains', task.chain_id),
    ]),
    ...windowWants(tasks),
  ]);
  set.need(tasks.filter(isFromAgent).flatMap(({ requester_id: id }) => [wantRow('members', id), ...callWants(id, all)]));
  set.each(tasks, (task) => tasksOn(task.message_id, set));
  set.need(tasks.flatMap((task) => roleOf(task, set).map((id) => wantBy('role_holders', 'role', id))));
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
  return {
    id,
    active: member?.kind === 'agent' && member.status === 'active',
    ...presenceOf(id, set, now),
    member: joined !== undefined,
    askedToLeave: leaveRequestsIn(set.get('conversations', task.conversation_id)!, set).has(id),
    before: joined !== undefined && home.history === 'joined' && liesBefore(task.seq, joined.joined_seq),
    // Two roles are two requests: who holds both may have both.
    calledByName: tasksOn(task.message_id, set).some(
      (other) => other.agent_id === id && !(other.addressed_by === 'role' && task.addressed_by === 'role'),
    ),
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
  const here = unclaimed.filter((_, i) => concerned.has(homes[i]!.id));
  if (here.length === 0) return;
  gatherTasks(here, tx);
  const takers = takersOf(here, tx, tx.now, { lock: tx.lock });
  for (const task of here) {
    const able = takers.get(task.id)!.length > 0;
    if (able === (task.state === 'offered')) continue;
    if (able) moveTask(task, 'offer', {}, tx);
    else withdraw(task, tx);
    settleChain(task.chain_id, tx);
  }
}

export function withdraw(task: TaskRow, tx: Tx): void {
  moveTask(task, 'yield', {}, tx, { why: 'nobody_available' });
  notifyRequester(task, 'nobody_available', tx);
}

/** The rows that offers are decided by. */
export const offersWants = (memberId: string): Want[] => [
  ...anyonesWants,
  wantBy('rounds', 'open', 1),
  wantBy('memberships', 'member', memberId),
];

/** Settles the offers in every conversation of these members. */
export function settleOffersFor(memberIds: readonly string[], tx: Tx): void {
  if (memberIds.length === 0) return;
  tx.need(memberIds.flatMap(offersWants));
  const homes = memberIds.flatMap((id) => tx.find('memberships', 'member', id).map((joined) => joined.conversation_id));
  settleOffers(homes, tx);
}
