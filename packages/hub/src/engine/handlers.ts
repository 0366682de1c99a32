// Every command's handler, and the answer-once rule that goes round all of them.

import { createHash } from 'node:crypto';
import { ParleyError } from '@parley/protocol';
import type { TableName } from '../store/tables.ts';
import { byWants, type Command, type CommandType, type Handler, type Handlers } from './command.ts';
import { attachmentHandlers } from './commands/attachments.ts';
import { conversationHandlers } from './commands/conversations.ts';
import { memberHandlers } from './commands/members.ts';
import { messageHandlers } from './commands/messages.ts';
import { readHandlers } from './commands/reads.ts';
import { systemHandlers } from './commands/system.ts';
import { tokenHandlers } from './commands/tokens.ts';

/** Commands that make something new and can be asked for again: what they made is found by its id. */
const repeatable: Partial<Record<CommandType, { name: string; table: TableName }>> = {
  'message.post': { name: 'message', table: 'messages' },
  'channel.create': { name: 'conversation', table: 'conversations' },
  'member.add': { name: 'member', table: 'members' },
};

const digest = (command: Command): string => {
  const { by: _by, key: _key, ...content } = command;
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url');
};

/** A repeat under the same key gets the first answer and does nothing (C2A-30); another request under it is refused. */
function once<T extends CommandType>(type: T, handler: Handler<T>): Handler<T> {
  const made = repeatable[type];
  if (!made) return handler;
  return {
    locks: (c) =>
      c.key === undefined || 'operator' in c.by ? handler.locks(c) : [...handler.locks(c), `request:${c.by.memberId}:${c.key}`],
    needs: (c) =>
      c.key === undefined || 'operator' in c.by
        ? handler.needs(c)
        : [...handler.needs(c), ...byWants(c.by), { table: 'requests', values: [c.by.memberId, c.key] }],
    decide: (c, set, context) => {
      if (c.key === undefined || 'operator' in c.by) return handler.decide(c, set, context);
      const before = set.get('requests', c.by.memberId, c.key);
      const command = digest(c);
      if (before) {
        if (before.command !== command) throw new ParleyError('key_reused');
        return { [made.name]: set.get(made.table, before.result)! } as never;
      }
      const result = handler.decide(c, set, context);
      const id = (result as unknown as Record<string, { id: string }>)[made.name]!.id;
      set.insert('requests', { actor_id: c.by.memberId, key: c.key, command, result: id, at: context.now });
      return result;
    },
  };
}

const all: Handlers = {
  ...messageHandlers,
  ...conversationHandlers,
  ...memberHandlers,
  ...tokenHandlers,
  ...readHandlers,
  ...attachmentHandlers,
  ...systemHandlers,
};

export const handlers = Object.fromEntries(
  Object.entries(all).map(([type, handler]) => [type, once(type as CommandType, handler as never)]),
) as unknown as Handlers;
