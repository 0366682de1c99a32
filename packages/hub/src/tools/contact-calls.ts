// `contact_agent`, for every door that has it. The call is a command; an `ask` then waits for what becomes of its sub-task, by
// the facts, with nothing held: made again under its key, after a lost line or a restart, it waits on for the same one.

import { contactResults, askedSilently, closedSilently, failureReasons } from '@parley/core';
import { type ContactOutcome, foldHandle, Handle, MemberId } from '@parley/protocol';
import type { CommandOf } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Tail } from '../engine/tail.ts';
import type { Store } from '../store/port.ts';
import { factData } from '../store/fact-data.ts';
import type { TaskRow } from '../store/tables.ts';

export interface ContactHub {
  store: Store;
  engine: Engine;
  tail: Tail;
}

/** `agentId`: whose turn it is, of one that runs in the hub. */
export type AgentContact = Omit<CommandOf<'contact.start'>, 'type'>;

/** Either the outcome, or a promise of it. */
export type ContactProgress = { outcome: ContactOutcome } | { waiting: Promise<ContactOutcome> };

/** Models name agents by their handle, in whatever case. An unknown handle is left as it is: the command says what to do. */
async function idOf(named: string, store: Store): Promise<string> {
  const handle = named.trim().replace(/^[\^@]/, '');
  if (MemberId.safeParse(named).success || !Handle.safeParse(handle).success) return named;
  const [found] = await store.rows('members', { handle_fold: foldHandle(handle), status: 'active' });
  return found?.id ?? named;
}

export async function startContact(hub: ContactHub, call: AgentContact, signal?: AbortSignal): Promise<ContactProgress> {
  const targetId = await idOf(call.targetId, hub.store);
  const { task, result } = await hub.engine.submit({ type: 'contact.start', ...call, targetId });
  if (result) return { outcome: result };
  const [target] = await hub.store.rows('members', { id: targetId });
  const name = target!.handle;
  if (!task) return { outcome: { text: contactResults.notified(name), status: 'notified' } };
  if (call.action === 'delegate')
    return { outcome: { text: contactResults.delegated(name, task.id), status: 'delegated', taskId: task.id } };
  return { waiting: waitsOn(hub.tail).until(task.id, () => askOutcome(hub.store, task.id, name), signal) };
}

export async function contact(hub: ContactHub, call: AgentContact, signal?: AbortSignal): Promise<ContactOutcome> {
  const startedContact = await startContact(hub, call, signal);
  return 'outcome' in startedContact ? startedContact.outcome : startedContact.waiting;
}

/** Returns the text that the agent reads. */
export const contactAgent = async (hub: ContactHub, call: AgentContact, signal?: AbortSignal): Promise<string> =>
  (await contact(hub, call, signal)).text;

// The result of an `ask`, read from the rows.

/** Undefined: it is still waited for. */
async function askOutcome(store: Store, taskId: string, name: string): Promise<ContactOutcome | undefined> {
  const [contact] = await store.rows('contacts', { task_id: taskId });
  if (!contact || contact.state === 'pending') return undefined;
  if (contact.state === 'late') {
    const [parent] = await store.rows('tasks', { id: contact.parent_id });
    if (parent?.open === 1) return { text: contactResults.noResponse(name), status: 'timed_out', taskId };
    return { text: contactResults.failed(name, failureReasons.parent_ended), status: 'failed', taskId };
  }
  const [task] = await store.rows('tasks', { id: taskId });
  // The agent asks back. That is its answer for now, and the reply continues the task.
  if (task!.open === 1) {
    const question = await bodyOf(store, contact.result_id);
    return { text: contactResults.response(name, question ?? askedSilently), status: 'answered', taskId };
  }
  const answerText = await bodyOf(store, task!.answer_id);
  if (task!.state === 'completed' && (answerText !== null || task!.answer_id === null))
    return { text: contactResults.response(name, answerText ?? closedSilently), status: 'answered', taskId };
  const reason = task!.state === 'declined' && answerText !== null ? answerText : await reasonOf(store, task!);
  return { text: contactResults.failed(name, reason), status: 'failed', taskId };
}

async function bodyOf(store: Store, messageId: string | null): Promise<string | null> {
  const [message] = messageId === null ? [] : await store.rows('messages', { id: messageId });
  return message?.body ?? null;
}

/** The reason in the platform's words, from the fact that ended the task. */
async function reasonOf(store: Store, { id, cause }: TaskRow): Promise<string> {
  const facts = await store.rows('facts', { subject_id: id, type: 'task.fail' });
  const [reason] = facts.flatMap((fact) => factData(fact, 'task.fail')?.reason ?? []);
  return reason ?? failureReasons[cause!];
}

// Waits for the ends of tasks with one listener for all, so that a thousand waits cost no more than one.

class Waits {
  private readonly waiting = new Map<string, Set<() => void>>();

  constructor(tail: Tail) {
    tail.listen((facts) => {
      if (this.waiting.size === 0) return;
      for (const { subject_id } of facts) for (const wake of this.waiting.get(subject_id ?? '') ?? []) wake();
    });
  }

  /** Looks now, and again after each fact of the task, until there is an answer. */
  async until<T>(taskId: string, look: () => Promise<T | undefined>, signal?: AbortSignal): Promise<T> {
    let next = Promise.withResolvers<void>();
    const wake = (): void => next.resolve();
    const all = this.waiting.get(taskId) ?? new Set();
    this.waiting.set(taskId, all.add(wake));
    signal?.addEventListener('abort', wake);
    try {
      for (;;) {
        signal?.throwIfAborted();
        const told = next.promise;
        const found = await look();
        if (found !== undefined) return found;
        await told;
        next = Promise.withResolvers<void>();
      }
    } finally {
      signal?.removeEventListener('abort', wake);
      all.delete(wake);
      if (all.size === 0) this.waiting.delete(taskId);
    }
  }
}

const byTail = new WeakMap<Tail, Waits>();

function waitsOn(tail: Tail): Waits {
  let taskWaits = byTail.get(tail);
  if (!taskWaits) byTail.set(tail, (taskWaits = new Waits(tail)));
  return taskWaits;
}
