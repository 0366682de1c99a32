// Every command's handler, and the answer-once rule that goes round all of them.

import { createHash } from 'node:crypto';
import { ParleyError } from '@parley/protocol';
import type { AnyRow, TableName } from '../store/tables.ts';
import { actorOf, type Command, type CommandType, type Handler, type Handlers } from './command.ts';
import { agentHandlers } from './commands/agents/agents.ts';
import { demoHandlers } from './commands/system/demo.ts';
import { assignHandlers } from './commands/tasks/assignments.ts';
import { attachmentHandlers } from './commands/messages/attachments.ts';
import { checkpointHandlers } from './commands/checkpoints/checkpoints.ts';
import { agentBlockHandlers } from './commands/contact/agent-blocks.ts';
import { contactHandlers } from './commands/contact/contacts.ts';
import { contactRuleHandlers } from './commands/contact/contact-rules.ts';
import { conversationHandlers } from './commands/conversations/conversations.ts';
import { eventHandlers } from './commands/invocations/events.ts';
import { forgetHandlers } from './commands/invocations/forget-chains.ts';
import { identityHandlers } from './commands/agents/identities.ts';
import { journalHandlers } from './commands/tasks/journal.ts';
import { leaveHandlers } from './commands/conversations/leave-requests.ts';
import { mailboxHandlers } from './commands/agents/mailboxes.ts';
import { memberHandlers } from './commands/people/members.ts';
import { messageHandlers } from './commands/messages/messages.ts';
import { obligationHandlers } from './commands/obligations/obligations.ts';
import { invocationHandlers } from './commands/invocations/invocations.ts';
import { invocationEndHandlers } from './commands/invocations/invocation-ends.ts';
import { provokeFileHandlers } from './commands/triggers/provoke-files.ts';
import { provokeHandlers } from './commands/triggers/provoke-objects.ts';
import { reactionHandlers } from './commands/messages/reactions.ts';
import { readHandlers } from './commands/conversations/read-cursors.ts';
import { roleHandlers } from './commands/people/team-roles.ts';
import { roundHandlers } from './commands/tasks/offer-rounds.ts';
import { secretHandlers } from './commands/agents/secrets.ts';
import { speechHandlers } from './commands/tasks/speech.ts';
import { firstStartHandlers } from './commands/system/first-start.ts';
import { idempotencyKeyHandlers } from './commands/system/idempotency-keys.ts';
import { outboxHandlers } from './commands/system/outbox.ts';
import { stopHandlers } from './commands/system/stop-everything.ts';
import { timerHandlers } from './commands/system/timers.ts';
import { taskHandlers } from './commands/tasks/tasks.ts';
import { chargeHandlers } from './commands/tasks/charges.ts';
import { readApprovalHandlers } from './commands/checkpoints/read-approvals.ts';
import { taintHandlers } from './commands/tasks/taint.ts';
import { linkHandlers } from './commands/people/links.ts';
import { sessionHandlers } from './commands/people/sessions.ts';
import { tokenHandlers } from './commands/people/tokens.ts';
import { toolServerHandlers } from './commands/agents/tool-servers.ts';
import { windowHandlers } from './commands/messages/composing-windows.ts';
import { mustSee, accessTo } from './steps/facts/conversation-access.ts';

/** Commands that make something new and can be asked for again: what they made is found by its id, if one may still see it. */
interface Made {
  name: string;
  table: TableName;
  conversation: (row: AnyRow) => string | undefined;
}
const repeatable: Partial<Record<CommandType, Made | ((command: Command) => Made)>> = {
  'message.post': { name: 'message', table: 'messages', conversation: (row) => row['conversation_id'] as string },
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
const whose = (by: Command['by']): string => ('memberId' in by ? by.memberId : 'operator');

/** A repeat under the same key gets the first answer and does nothing (C2A-30); another request under it is refused. */
function once<T extends CommandType>(type: T, handler: Handler<T>): Handler<T> {
  const known: Made | ((command: Command) => Made) | undefined = repeatable[type];
  if (!known) return handler;
  return {
    locks: (c) => [...(handler.locks?.(c) ?? []), ...(c.key === undefined ? [] : [`request:${whose(c.by)}:${c.key}`])],
    needs: (c, library) => [
      ...handler.needs(c, library),
      ...(c.key === undefined ? [] : [{ table: 'requests' as const, values: [whose(c.by), c.key] }]),
    ],
    decide: (c, set, context) => {
      if (c.key === undefined) return handler.decide(c, set, context);
      const made = typeof known === 'function' ? known(c) : known;
      const before = set.get('requests', whose(c.by), c.key);
      const command = digest(c);
      if (before) {
        const actor = actorOf(c.by, set, context.now);
        if (before.command !== command) throw new ParleyError('key_reused');
        const row = set.get(made.table, before.result)!;
        const conversation = made.conversation(row);
        if (conversation !== undefined) mustSee(actor, accessTo(actor, conversation, set).relations);
        return { [made.name]: row } as never;
      }
      const result = handler.decide(c, set, context);
      const row = (result as unknown as Record<string, { id: string } | undefined>)[made.name];
      // It made nothing: asked again, it is decided again.
      if (!row) return result;
      set.insert('requests', { actor_id: whose(c.by), key: c.key, command, result: row.id, at: context.now });
      return result;
    },
  };
}

const all: Handlers = {
  ...messageHandlers,
  ...assignHandlers,
  ...reactionHandlers,
  ...leaveHandlers,
  ...conversationHandlers,
  ...mailboxHandlers,
  ...memberHandlers,
  ...roleHandlers,
  ...roundHandlers,
  ...linkHandlers,
  ...sessionHandlers,
  ...tokenHandlers,
  ...toolServerHandlers,
  ...readHandlers,
  ...attachmentHandlers,
  ...taskHandlers,
  ...chargeHandlers,
  ...readApprovalHandlers,
  ...taintHandlers,
  ...windowHandlers,
  ...speechHandlers,
  ...agentHandlers,
  ...demoHandlers,
  ...identityHandlers,
  ...secretHandlers,
  ...journalHandlers,
  ...obligationHandlers,
  ...checkpointHandlers,
  ...contactHandlers,
  ...contactRuleHandlers,
  ...agentBlockHandlers,
  ...eventHandlers,
  ...forgetHandlers,
  ...invocationHandlers,
  ...invocationEndHandlers,
  ...provokeHandlers,
  ...provokeFileHandlers,
  ...firstStartHandlers,
  ...idempotencyKeyHandlers,
  ...outboxHandlers,
  ...stopHandlers,
  ...timerHandlers,
};

export const handlers = Object.fromEntries(
  Object.entries(all).map(([type, handler]) => [type, once(type as CommandType, handler as never)]),
) as unknown as Handlers;
