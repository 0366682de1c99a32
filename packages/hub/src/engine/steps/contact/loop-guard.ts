// The loop guard on two agents in one chain (C2A-19, C2A-20): a message that adds nothing is refused, and an exchange
// without progress is ended and put before a person.

import { isIdle, isOpen, isStuck, ladderAbove, withoutHeader, type ExchangeTurn, type Utterance } from '@parley/core';
import { wantBy, type Want, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, MessageRow, TaskRow, CheckpointRow } from '../../../store/tables.ts';
import { RecordedRefusal, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { aboveIn } from '../people/managers.ts';
import { isContact } from '../tasks/callbacks.ts';
import { aboutTask } from '../facts/append.ts';
import { dataOf, openCheckpoint, type CheckpointData } from '../facts/checkpoints.ts';
import { namedIn } from '../conversations/addressable-members.ts';
import { endTask, homeOf } from '../tasks/tasks.ts';
import { asActor } from '../tasks/task-access.ts';

/** The guard looks at the latest tasks of an exchange, and at the latest messages in them. */
const maxTasks = 10;
const maxTurns = 40;
/** A reply is compared with the last messages of both; a much earlier message may be worth saying again. */
const heldAgainst = 2;

interface Said extends ExchangeTurn {
  messageId: string;
}

/** A message of this very group has no place yet, and comes after all that have one. */
const placeOf = (seq: number): number => (seq < 0 ? Number.MAX_SAFE_INTEGER + seq : seq);
/** Returns the later of two. */
export const later = (a: { seq: number }, b: { seq: number }): number =>
  a.seq < 0 && b.seq < 0 ? b.seq - a.seq : placeOf(a.seq) - placeOf(b.seq);

/** The addressee is no part of the content. */
const withoutNames = (text: string): string => text.replaceAll(/[\^@][\p{L}\p{N}][\p{L}\p{N}._-]*/gu, ' ');

/** The latest tasks that the parent's agent delegated to this agent. */
function delegationsTo(task: TaskRow, set: WorkingSet): TaskRow[] {
  const delegations = [1, 0]
    .flatMap((open) => set.find('tasks', 'parent', task.parent_id!, open))
    .filter((one) => one.agent_id === task.agent_id);
  return delegations.toSorted(later).slice(-maxTasks);
}

/** The messages in which they spoke to each other. */
const messagesOf = (delegations: readonly TaskRow[], set: WorkingSet): string[] => [
  ...new Set(
    delegations.flatMap(({ id, message_id }) => [
      message_id,
      ...set
        .find('task_words', 'task', id)
        .filter(({ kind }) => kind !== 'progress' && kind !== 'result')
        .map((word) => word.message_id),
    ]),
  ),
];

/** Loaded at once: a delegation to forty makes forty exchanges. */
function gatherExchanges(tasks: readonly TaskRow[], set: WorkingSet): void {
  set.need(tasks.flatMap(({ parent_id }) => [1, 0].map((open) => wantBy('tasks', 'parent', parent_id!, open))));
  const delegations = tasks.flatMap((task) => delegationsTo(task, set));
  set.need(delegations.map(({ id }) => wantBy('task_words', 'task', id)));
  set.need(messagesOf(delegations, set).map((id) => wantRow('messages', id)));
}

/**
 * Everything that the agents of this task and of its parent have said to each other, since anyone else last spoke in it:
 * ask by ask, this one last. A question that has no answer yet is left out, so that several different questions of one
 * form, asked at once, do not count as a loop (IAC-5).
 */
function exchangeOf(task: TaskRow, set: WorkingSet): Said[] {
  gatherExchanges([task], set);
  const delegations = delegationsTo(task, set);
  const headed = new Set(delegations.filter(isContact).map(({ message_id }) => message_id));
  const messages = messagesOf(delegations, set)
    .flatMap((id) => set.get('messages', id) ?? [])
    .filter(({ body }) => body !== null)
    .toSorted(later)
    .slice(-maxTurns);
  const pair: AgentPair = [task.agent_id, task.requester_id];
  const lift = lastLift(task.chain_id, pair, set);
  const since = messages.findLastIndex(({ id, author_id }) => !pair.includes(author_id) || id === lift?.last) + 1;
  const askOf = new Map(delegations.toReversed().flatMap((one) => messagesOf([one], set).map((id) => [id, one] as const)));
  const asks = Map.groupBy(messages.slice(since), ({ id }) => askOf.get(id)!.id);
  const isOver = (id: string): boolean => !isOpen(set.get('tasks', id)!.state);
  const counted = [...asks].filter(([id, said]) => isOver(id) || said.some(({ author_id }) => author_id === task.agent_id));
  const before = counted.filter(([id]) => id !== task.id).toSorted(([, a], [, b]) => later(a.at(-1)!, b.at(-1)!));
  const turns = [...before.flatMap(([, said]) => said), ...(asks.get(task.id) ?? [])];
  return turns.map(({ id, author_id, body }) => ({
    by: author_id!,
    ask: askOf.get(id)!.id,
    // The platform's line on it says something new each time.
    text: withoutNames(headed.has(id) ? withoutHeader(body!) : body!),
    messageId: id,
  }));
}

/** The sub-tasks whose talk this goes on with: its own, or those that asked and are named. */
export function repliesTo(kind: Utterance, body: string, task: TaskRow, conversation: ConversationRow, set: WorkingSet): TaskRow[] {
  if (kind !== 'progress') return task.parent_id === null ? [] : [task];
  const waiting = set.find('tasks', 'parent', task.id, 1).filter(({ state }) => state === 'waiting');
  if (waiting.length === 0) return [];
  const named = new Set([...namedIn(body, homeOf(conversation.id, set), set).present.values()].map(({ id }) => id));
  return waiting.filter(({ agent_id }) => agent_id !== null && named.has(agent_id));
}

/**
 * Nothing new: it is not said, and the agent gets its options. The first word to a request is always taken, and so is the last:
 * it ends the exchange, and silence would be no outcome.
 */
export function mustAddContent(kind: Utterance, agent: MemberRow, body: string, tasks: readonly TaskRow[], set: WorkingSet): void {
  if (kind === 'answer') return;
  for (const task of tasks) {
    const hasAsked = set.find('task_words', 'task', task.id).some(({ kind }) => kind === 'question');
    if (agent.id === task.agent_id && !hasAsked) return;
    const earlier = exchangeOf(task, set)
      .slice(-heldAgainst)
      .map(({ text }) => text);
    if (!isIdle(withoutNames(body), earlier)) return;
    const about = { ...aboutTask(task), member_id: agent.id, conversation_id: homeOf(task.conversation_id, set).id };
    const data = { reason: 'adds_nothing' };
    throw new RecordedRefusal('adds_nothing', { type: 'post.refused', actor: asActor(agent), ...about, data });
  }
}

/** Ends the looping exchanges; true: this very task was one of them. */
export function endLoops(said: MessageRow, speaking: TaskRow, replied: readonly TaskRow[], tx: Tx): boolean {
  // A task offered to a role, which nobody has taken, is no exchange yet: it has no second agent.
  const opened = tx
    .find('tasks', 'parent', speaking.id, 1)
    .filter(({ message_id, agent_id }) => message_id === said.id && agent_id !== null);
  gatherExchanges([...replied, ...opened], tx);
  const stuck = [...replied, ...opened].filter((task) => {
    const turns = exchangeOf(task, tx);
    return turns.length > allowedTurns(task, tx) && isStuck(turns);
  });
  for (const task of stuck) {
    const turns = exchangeOf(task, tx);
    endTask(tx.get('tasks', task.id)!, { state: 'declined', cause: 'no_progress' }, tx);
    notifyPerson(task, turns, tx);
  }
  return stuck.some(({ id }) => id === speaking.id);
}

/** A person let them go on for so many. */
const allowedTurns = (task: TaskRow, set: WorkingSet): number =>
  lastLift(task.chain_id, [task.agent_id, task.requester_id], set)?.allowed ?? 0;

/** Notifies the person once for each loop that ends: who looped, for how long, and where it began and ended. */
function notifyPerson(task: TaskRow, turns: readonly Said[], tx: Tx): void {
  const { chain_id: chainId, conversation_id: conversationId } = task;
  const agents: [string, string] = [task.requester_id!, task.agent_id!];
  if (checkpointsOn(chainId, agents, tx).some((row) => dataOf(row).lifted === undefined)) return;
  const person = personOf(task, tx);
  if (person === undefined) return;
  const where = { conversationId, messageId: turns[0]!.messageId, chainId, subjectId: chainId };
  const data = { agents, turns: turns.length, last: turns.at(-1)!.messageId, task: task.parent_id! };
  openCheckpoint({ kind: 'no_progress', for: person, ...where, data }, tx);
}

/** The person who began the chain; if they are gone, the one who answers for the agent. */
function personOf(task: TaskRow, set: WorkingSet): string | undefined {
  const { requester_id } = set.get('chains', task.chain_id)!;
  const root = requester_id === null ? undefined : set.get('members', requester_id);
  if (root?.kind === 'human' && root.status === 'active') return root.id;
  return ladderAbove(task.agent_id!, aboveIn(null, set)).findLast(({ kind }) => kind === 'human')?.id;
}

// Two agents whose exchange was ended (C2A-20): they call each other no more in that chain, until a person lets them.

/** Two members, in whatever order. */
export type AgentPair = readonly [string | null, string | null];

export const guardWants = (chainId: string): Want[] => [wantBy('tasks', 'chain', chainId, 0), wantBy('checkpoints', 'subject', chainId)];

const isBetween = ({ agent_id, requester_id }: TaskRow, pair: AgentPair): boolean =>
  agent_id !== requester_id && pair.includes(agent_id) && pair.includes(requester_id);

/** Sub-tasks between the two that the guard has ended. */
export function endedBetween(chainId: string, pair: AgentPair, set: WorkingSet): TaskRow[] {
  set.need(guardWants(chainId));
  return set.find('tasks', 'chain', chainId, 0).filter((task) => task.cause === 'no_progress' && isBetween(task, pair));
}

/** The questions that a person got about the two agents. */
function checkpointsOn(chainId: string, pair: AgentPair, set: WorkingSet): CheckpointRow[] {
  set.need(guardWants(chainId));
  return set
    .find('checkpoints', 'subject', chainId)
    .filter((row) => row.kind === 'no_progress' && pair.every((id) => dataOf(row).agents?.includes(id ?? '') === true));
}

/** The last time that a person let them go on: after which message, and for how many turns. */
function lastLift(chainId: string, pair: AgentPair, set: WorkingSet): Pick<CheckpointData, 'last' | 'allowed'> | undefined {
  return checkpointsOn(chainId, pair, set)
    .toSorted((a, b) => a.seq - b.seq)
    .map(dataOf)
    .findLast(({ lifted }) => lifted !== undefined);
}

/** Calls between the two agents are refused. */
export function isEnded(chainId: string, pair: AgentPair, set: WorkingSet): boolean {
  const lifted = new Set(checkpointsOn(chainId, pair, set).flatMap((row) => dataOf(row).lifted ?? []));
  return endedBetween(chainId, pair, set).some(({ id }) => !lifted.has(id));
}
