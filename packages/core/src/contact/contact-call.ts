// Parses an agent's `contact_agent` call (IAC-1). Each problem says what to do instead: a model corrects itself by it.

import { Body } from '@parley/protocol';
import { type ContactAction, contactActions, type Priority, priorities } from './contact-permission.ts';
import { contactResults } from './contact-texts.ts';
import { type ChainLimits, chainLimits, type Link, mayDelegate, type StartRefusal } from '../task/chain.ts';

/** Both of them and the header fit into one message. */
export const maxContactText = 40_000;

export interface GivenCall {
  action: string;
  message: string;
  context?: string | undefined;
  priority?: string | undefined;
}

export interface ParsedContactCall {
  action: ContactAction;
  message: string;
  context: string | undefined;
  priority: Priority;
}

const isOneOf = <T extends string>(values: readonly T[], value: string): value is T => (values as readonly string[]).includes(value);

function badText(field: 'message' | 'context', text: string): string | undefined {
  if (text.length > maxContactText) return contactResults.tooLong(field, maxContactText);
  return Body.safeParse(text).success ? undefined : contactResults.badText(field);
}

/** The call, or what is wrong with it. */
export function readContact({ action, message, context, priority = 'normal' }: GivenCall): ParsedContactCall | { error: string } {
  if (!isOneOf(contactActions, action)) return { error: contactResults.badAction(action) };
  if (message.trim() === '') return { error: contactResults.noMessage() };
  if (!isOneOf(priorities, priority)) return { error: contactResults.badPriority(priority) };
  const error = badText('message', message) ?? badText('context', context ?? '');
  if (error !== undefined) return { error };
  return { action, message, context: context?.trim() ? context : undefined, priority };
}

/** Asking back is no circle: who asks is bounded by depth alone. A notification gives no work and is no hop. */
export function mayStart(
  action: ContactAction,
  link: Link,
  targetId: string,
  tasksInChain: number,
  limits: ChainLimits = chainLimits,
): { ok: true } | { ok: false; reason: StartRefusal } {
  if (action === 'notify') return { ok: true };
  return mayDelegate(action === 'ask' ? { ...link, path: [] } : link, targetId, tasksInChain, limits);
}

/**
 * Words of others may not choose whom an agent speaks to (SYS-13), unless nobody learns more by it: the target answers to the
 * chain's first requester, works above in the chain, or is where the chain began.
 */
export function isGrantedContact(
  target: { id: string; ownerId: string | null; managerId: string | null; inRoot: boolean },
  chain: { requesterId: string | null; path: readonly string[] },
): boolean {
  const { requesterId } = chain;
  if (chain.path.includes(target.id) || target.inRoot) return true;
  return requesterId !== null && (target.ownerId === requesterId || target.managerId === requesterId);
}

export interface QueuedContact {
  conversationId: string;
  seq: number;
  /** A person marked it so: before everything else. */
  immediate: boolean;
  priority: Priority;
}

const rankOf = ({ immediate, priority }: QueuedContact): number => (immediate ? -1 : priorities.length - 1 - priorities.indexOf(priority));

/**
 * In which order an agent is given what waits for it (IAC-8): by priority between conversations, in order within each, so that
 * what stands behind something less pressing waits with it. Only a person's urgent word goes before all.
 */
export function queueOrder<T extends QueuedContact>(tasks: readonly T[]): T[] {
  const slowest = new Map<string, number>();
  const ranked = tasks
    .toSorted((a, b) => a.seq - b.seq)
    .map((task) => {
      if (task.immediate) return { task, rank: rankOf(task) };
      const rank = Math.max(rankOf(task), slowest.get(task.conversationId) ?? 0);
      slowest.set(task.conversationId, rank);
      return { task, rank };
    });
  return ranked.toSorted((a, b) => a.rank - b.rank || a.task.seq - b.task.seq).map(({ task }) => task);
}
