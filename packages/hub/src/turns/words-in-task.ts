// The messages of a task, for the agent that works on it, in this process or on a socket.

import { isFromRound, type Signal, notWoken } from '@parley/core';
import type { TaskWord } from '../brains/brain.ts';
import { factData } from '../store/fact-data.ts';
import type { Reader, PlacedFact } from '../store/port.ts';
import { contactResults, questionsIn } from '../store/reads/tasks.ts';
import type { MessageRow, TaskRow } from '../store/tables.ts';

export async function messagesById(store: Reader, ids: string[]): Promise<Map<string, MessageRow>> {
  const rows = await store.rows('messages', { id: [...new Set(ids)] });
  return new Map(rows.map((message) => [message.id, message]));
}

/** A reminder has this text instead of the words, which the agent reads on purpose. */
const reminder = 'Somebody waits for an answer to this message.';

export interface SaidWord {
  kind: Exclude<TaskWord['kind'], 'history'>;
  text: string;
  message: MessageRow;
  authorId: string | null;
  signal?: Signal;
}

/** All words of the task up to now, in order, without deleted ones; signals on its agent's words among them. */
export async function saidIn(store: Reader, task: TaskRow): Promise<SaidWord[]> {
  const rows = await store.rows('task_words', { task_id: task.id });
  const signals = await store.rows('signals', { task_id: task.id });
  const kinds = new Map<string, SaidWord['kind']>(rows.map((word) => [word.message_id, word.kind]));
  for (const id of [task.message_id, ...(await piecesOf(store, task))]) kinds.set(id, 'request');
  const messages = await messagesById(store, [...kinds.keys()]);
  const speakers = rows.some(({ kind }) => kind === 'result') ? await speakersOf(store, task) : new Map<string, string | null>();
  const taskMessages = [...messages.values()].flatMap((message) => {
    if (message.body === null) return [];
    const kind = kinds.get(message.id)!;
    const knocks = kind === 'request' && task.addressed_by === 'obligation';
    return [
      {
        seq: message.seq,
        word: { kind, text: knocks ? reminder : message.body, message, authorId: speakers.get(message.id) ?? message.author_id },
      },
    ];
  });
  const signalled = signals.flatMap(({ seq, signal, member_id: authorId, message_id }) => {
    const message = messages.get(message_id);
    return message && message.body !== null ? [{ seq, word: { kind: 'signal' as const, text: '', message, authorId, signal } }] : [];
  });
  return [...taskMessages, ...signalled].toSorted((a, b) => a.seq - b.seq).map(({ word }) => word);
}

/** The platform posts the result of a delegation; the words are the agent's. */
async function speakersOf(store: Reader, task: TaskRow): Promise<Map<string, string | null>> {
  const results = await contactResults(store, task.id);
  return new Map(results.flatMap(({ message, agent }) => (message === null ? [] : [[message, agent]])));
}

/** Further messages that the requester wrote while still asking. */
async function piecesOf(store: Reader, task: TaskRow): Promise<string[]> {
  // Claimed on an open floor, where its author had written all of it before.
  if (isFromRound(task.addressed_by)) return (await store.rows('rounds', { first_id: task.message_id })).map((row) => row.message_id);
  const rows = await store.rows('facts', { subject_id: task.id, type: ['task.continued', 'task.yield'] });
  return rows
    .flatMap((fact) => factData(fact, 'task.continued', 'task.yield') ?? [])
    .flatMap(({ message, piece }) => (piece === 'request' && message !== undefined ? message : []));
}

/** By sub-task: the message that is its last word, or the question it waits with. */
export async function lastSaidIn(store: Reader, children: readonly TaskRow[]): Promise<Map<string, string>> {
  const last = new Map(children.flatMap(({ id, answer_id }) => (answer_id === null ? [] : [[id, answer_id]])));
  const waiting = children.filter(({ state }) => state === 'waiting').map(({ id }) => id);
  if (waiting.length === 0) return last;
  for (const { task, message } of await questionsIn(store, waiting)) last.set(task, message);
  return last;
}

// The notes to an agent about its words that woke nobody.

/** Why one address made no task. */
export async function flagText(store: Reader, fact: PlacedFact): Promise<string | undefined> {
  const { reason, agent } = factData(fact, 'task.flagged')!;
  const [member] = agent === undefined ? [] : await store.rows('members', { id: agent });
  return notWoken(reason, member);
}

/** The notes on all addresses of one message. */
export async function flagsOn(store: Reader, taskId: string, messageId: string): Promise<string[]> {
  const rows = await store.rows('facts', { subject_id: taskId, type: 'task.flagged' }, { order: 'seq' });
  const on = rows.filter((fact) => factData(fact, 'task.flagged')?.message === messageId);
  return (await Promise.all(on.map((fact) => flagText(store, fact)))).filter((text) => text !== undefined);
}
