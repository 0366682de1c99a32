// `contact_agent`, for every door that has it. The call is a command; an `ask` then waits for what becomes of its sub-task, by
// the facts, with nothing held: made again under its key, after a lost line or a restart, it waits on for the same one.

import { contactResults } from '@parley/core';
import { type ContactOutcome, foldHandle, Handle, MemberId } from '@parley/protocol';
import type { By } from '../../engine/command.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Tail } from '../../engine/tail.ts';
import type { Store } from '../../store/port.ts';
import { askOutcome } from './ask-outcome.ts';
import { waitsOn } from './task-waits.ts';

export interface ContactHub {
  store: Store;
  engine: Engine;
  tail: Tail;
}

export interface AgentContact {
  by: By;
  taskId: string;
  lease: number;
  /** Whose turn it is, of one that runs in the hub. */
  agentId?: string;
  key?: string | undefined;
  action: string;
  targetId: string;
  message: string;
  context?: string | undefined;
  priority?: string | undefined;
}

/** Done at once, or still to be waited for. */
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
  const started = await startContact(hub, call, signal);
  return 'outcome' in started ? started.outcome : started.waiting;
}

/** What the agent reads. */
export const contactAgent = async (hub: ContactHub, call: AgentContact, signal?: AbortSignal): Promise<string> =>
  (await contact(hub, call, signal)).text;
