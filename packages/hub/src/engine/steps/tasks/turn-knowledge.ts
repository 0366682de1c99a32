// The knowledge of the turn that holds a task: which words of the task it had, and whether it has acted. Taken from the
// rows, so that a hub that starts again, or that never ran the turn, knows it as well.

import { hasActed, isUnanswered } from '@parley/core';
import { factData } from '../../../store/fact-data.ts';
import { type NewFact, wantBy, wantRow } from '../../../store/port.ts';
import type { TaskRow } from '../../../store/tables.ts';
import type { WorkingSet } from '../../working-set.ts';
import { agentOf } from './tasks.ts';

/** A turn or message of this very group has no place yet, and comes after all that have one. */
const placeOf = (seq: number): number => (seq < 0 ? Infinity : seq);

/** Whether the task got more words than an answer given now could cover. */
export function isMoreSaid(task: TaskRow, set: WorkingSet): boolean {
  set.need([wantBy('task_words', 'task', task.id), wantRow('messages', task.message_id)]);
  const followUps = set
    .find('task_words', 'task', task.id)
    .filter((word) => word.kind === 'follow_up')
    .map((word) => word.message_id);
  // This is the case for nearly every answer, so it costs no read.
  if (followUps.length === 0 && set.get('messages', task.message_id)?.version === 1) return false;
  const messageIds = [task.message_id, ...followUps];
  set.need([wantBy('facts', 'subject', task.id), wantRow('agents', task.agent_id!), ...messageIds.map((id) => wantRow('messages', id))]);
  const added = addedTo(task, set);
  // A deleted message, or one that no longer belongs to the task, asks for nothing.
  const alive = new Map(
    messageIds.flatMap((id) => set.get('messages', id) ?? []).flatMap((one) => (one.body === null ? [] : [[one.id, one]])),
  );
  const places = [
    ...followUps.flatMap((id) => alive.get(id) ?? []).map(({ seq }) => placeOf(seq)),
    ...added.filter(({ message }) => alive.has(message)).map(({ place }) => place),
  ];
  const agent = agentOf(task.agent_id!, set);
  return isUnanswered({ begunAt: begunAt(task, set), acked: agent.brain === 'remote' ? agent.acked : 0 }, places);
}

/** The first urgent words that were said in the task while this turn of it runs. */
export function urgentSince(task: TaskRow, set: WorkingSet): string | undefined {
  const followUps = set.find('task_words', 'task', task.id).filter(({ kind }) => kind === 'follow_up');
  if (followUps.length === 0) return undefined;
  set.need([
    wantBy('facts', 'subject', task.id),
    ...followUps.flatMap(({ message_id: id }) => (['messages', 'urgent_messages'] as const).map((table) => ({ table, values: [id] }))),
  ]);
  const since = begunAt(task, set);
  return followUps
    .map(({ message_id: id }) => id)
    .find((id) => set.get('urgent_messages', id) !== undefined && placeOf(set.get('messages', id)?.seq ?? 0) > since);
}

/** Messages that were added to a task or corrected in it, with their place in the stream. */
function addedTo(task: TaskRow, set: WorkingSet): { message: string; place: number }[] {
  const added = (fact: NewFact, place: number): { message: string; place: number }[] => {
    const data = factData(fact, 'task.continued', 'task.corrected');
    return data ? [{ message: data.message, place }] : [];
  };
  return [
    ...set.find('facts', 'subject', task.id).flatMap((fact) => added(fact, fact.seq)),
    ...set.appended(task.id).flatMap((fact) => added(fact, Infinity)),
  ];
}

interface Begun {
  seq: number;
  lease: number;
  again: boolean;
}

const turnStarts = (task: TaskRow, set: WorkingSet): Begun[] =>
  set.find('facts', 'subject', task.id).flatMap((fact) => {
    // Urgent words bring a remote agent's next lease with them.
    const data = factData(fact, 'task.begin', 'task.continued');
    return data?.lease === undefined ? [] : { seq: fact.seq, lease: data.lease, again: 'again' in data };
  });

function begunAt(task: TaskRow, set: WorkingSet): number {
  const starts = turnStarts(task, set);
  if (!starts.some(({ lease }) => lease === task.lease)) return Number.MAX_SAFE_INTEGER;
  // A resumed turn inside the hub goes on with its first context.
  return Math.max(0, ...starts.filter(({ again }) => !again).map(({ seq }) => seq));
}

/**
 * Whether the turn that holds the task has had an effect outside (C2A-28), by its journal and by the words said under its
 * lease.
 */
export function hasActedIn(task: TaskRow, set: WorkingSet): boolean {
  const turns = set.find('turns', 'task', task.id, 'running');
  set.need([
    wantBy('facts', 'subject', task.id),
    wantBy('task_words', 'task', task.id),
    wantBy('tasks', 'parent', task.id, 0),
    wantBy('tasks', 'parent', task.id, 1),
    ...turns.map((turn) => wantBy('journal', 'turn', turn.id)),
  ]);
  // Work given to others is an effect, by whatever door it was given.
  if ([0, 1].some((open) => set.find('tasks', 'parent', task.id, open).length > 0)) return true;
  const own = set.find('task_words', 'task', task.id).filter((word) => word.kind !== 'follow_up' && word.kind !== 'result');
  set.need(own.map((word) => wantRow('messages', word.message_id)));
  const since = turnStarts(task, set).find(({ lease }) => lease === task.lease)?.seq ?? Number.MAX_SAFE_INTEGER;
  const wordCount = own.filter((word) => placeOf(set.get('messages', word.message_id)?.seq ?? 0) > since).length;
  const steps = turns.flatMap((turn) => set.find('journal', 'turn', turn.id));
  return hasActed(
    steps.map(({ kind, read_only }) => ({ kind, readOnly: read_only === 1 })),
    wordCount,
  );
}
