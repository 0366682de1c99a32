// A command that is sent twice under one idempotency key is done once (C2A-30).

import { createHash } from 'node:crypto';
import { ParleyError } from '@parley/protocol';
import { wantRow } from '../store/port.ts';
import type { AnyRow, TableName } from '../store/tables.ts';
import { actorOf, type Command, type CommandType, type Handler } from './command.ts';
import { accessTo, mustSee } from './steps/facts/conversation-access.ts';

/** Commands that make something new and can be asked for again: what they made is found by its id, if one may still see it. */
interface Made {
  name: string;
  table: TableName;
  conversation: (row: AnyRow) => string | undefined;
}
const repeatable: Partial<Record<CommandType, Made | ((command: Command) => Made)>> = {
  'message.post': { name: 'message', table: 'messages', conversation: (row) => row['conversation_id'] as string },
  'peer.post': { name: 'message', table: 'messages', conversation: () => undefined },
  'message.assign': { name: 'task', table: 'tasks', conversation: (row) => row['conversation_id'] as string },
  'task.say': { name: 'message', table: 'messages', conversation: (row) => row['conversation_id'] as string },
  'contact.start': (command) => ({
    ...('action' in command && command.action === 'notify'
      ? { name: 'message', table: 'messages' as const }
      : { name: 'task', table: 'tasks' as const }),
    conversation: (row) => row['conversation_id'] as string,
  }),
  'channel.create': { name: 'conversation', table: 'conversations', conversation: (row) => row['id'] as string },
  'member.add': { name: 'member', table: 'members', conversation: () => undefined },
};

/** Enough to tell one request from another, too little to guess a deleted text from. */
const digest = (command: Command): string => {
  // A runner that takes over repeats what the one before it may have sent, under the lease it has now.
  const { by: _by, key: _key, lease: _lease, ...content } = { lease: undefined, ...command };
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 6);
};

/** Keys of the platform were stored under this word before it had an actor of its own. */
const callerOf = (by: Command['by']): string => ('memberId' in by ? by.memberId : 'operator');

/** A repeat under the same key gets the first answer and does nothing; another request under it is refused. */
export function answerOnce<T extends CommandType>(type: T, handler: Handler<T>): Handler<T> {
  const idsMade: Made | ((command: Command) => Made) | undefined = repeatable[type];
  if (!idsMade) return handler;
  return {
    locks: (c) => [...(handler.locks?.(c) ?? []), ...(c.key === undefined ? [] : [`request:${callerOf(c.by)}:${c.key}`])],
    needs: (c, library) => [
      ...(handler.needs?.(c, library) ?? []),
      ...(c.key === undefined ? [] : [wantRow('requests', callerOf(c.by), c.key)]),
    ],
    decide: (c, tx) => {
      if (c.key === undefined) return handler.decide(c, tx);
      const made = typeof idsMade === 'function' ? idsMade(c) : idsMade;
      const before = tx.get('requests', callerOf(c.by), c.key);
      const command = digest(c);
      if (before) {
        const actor = actorOf(c.by, tx, tx.now);
        if (before.command !== command) throw new ParleyError('key_reused');
        const row = tx.get(made.table, before.result)!;
        const conversation = made.conversation(row);
        if (conversation !== undefined) mustSee(actor, accessTo(actor, conversation, tx).relations);
        return { [made.name]: row };
      }
      const result = handler.decide(c, tx);
      const row = (result as unknown as Record<string, { id: string } | undefined>)[made.name];
      // The command made no row: a repeat decides it again.
      if (!row) return result;
      tx.insert('requests', { actor_id: callerOf(c.by), key: c.key, command, result: row.id, at: tx.now });
      return result;
    },
  };
}
