// What clients follow. A *fact* carries a cursor and can be resumed from; a *sign* (typing, presence) cannot.

import { z } from 'zod';
import { Conversation, Leave, Membership, NotifyLevel } from './conversations.ts';
import { ChainId, ConversationId, MemberId, MessageId, ObligationId, RoleId, TaskId } from '../ids.ts';
import { Member, CalledRole } from '../people/members.ts';
import { Message } from './messages.ts';
import { Checkpoint } from '../tasks/checkpoints.ts';
import { Agent, Halt, Notice, Task } from '../tasks/tasks.ts';
import { Woken } from '../tasks/provoked-work.ts';

/** `epoch:seq`. A restore starts a new epoch, so that a cursor of the old line is never mistaken for one of the new. */
export const Cursor = z.string().regex(/^[a-z0-9]{1,16}:[0-9]{1,15}$/, 'must be epoch:seq');

const fact = <T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({ type: z.literal(type), cursor: Cursor, at: z.number(), actorId: MemberId.nullable(), data });

export const StreamFact = z.discriminatedUnion('type', [
  fact('message.posted', z.object({ message: Message, rootMessageId: MessageId.nullable(), parentId: ConversationId.nullable() })),
  fact('message.edited', z.object({ message: Message })),
  fact('message.deleted', z.object({ message: Message })),
  fact('message.reacted', z.object({ message: Message })),
  fact('conversation.created', z.object({ conversation: Conversation })),
  fact('conversation.edited', z.object({ conversation: Conversation })),
  fact('conversation.hidden', z.object({ conversationId: ConversationId.describe('it is no longer yours to see') })),
  fact('membership.added', z.object({ membership: Membership })),
  fact('membership.removed', z.object({ conversationId: ConversationId, memberId: MemberId })),
  fact('member.added', z.object({ member: Member })),
  fact('member.edited', z.object({ member: Member })),
  fact('role.added', z.object({ role: CalledRole })),
  fact('role.edited', z.object({ role: CalledRole })),
  fact('role.removed', z.object({ roleId: RoleId })),
  fact('task.opened', z.object({ task: Task })),
  fact('task.changed', z.object({ task: Task })),
  fact('notice', z.object({ notice: Notice })),
  fact('checkpoint.opened', z.object({ checkpoint: Checkpoint.describe('new, or with more in it') })),
  fact('checkpoint.closed', z.object({ checkpoint: Checkpoint })),
  fact('obligation.changed', z.object({ obligationId: ObligationId.describe('what you owe or wait for has come, changed or gone') })),
  fact('negotiation.changed', z.object({ threadId: z.string().describe('of your own peer: fetch it') })),
  fact('space.changed', z.object({ spaceId: z.string().describe('a shared space of your own peer: fetch it') })),
  fact('agent.changed', z.object({ agent: Agent })),
  fact('agent.left', z.object({ leave: Leave })),
  fact('agent.returned', z.object({ conversationId: ConversationId, memberId: MemberId })),
  fact('workspace.halted', z.object({ halt: Halt })),
  fact('read.moved', z.object({ conversationId: ConversationId, readSeq: z.number() })),
  fact('notify.set', z.object({ conversationId: ConversationId, level: NotifyLevel })),
]);
export type StreamFact = z.infer<typeof StreamFact>;

export const StreamSign = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ready'), cursor: Cursor.describe('caught up; what follows is live') }),
  z.object({ type: z.literal('reset'), cursor: Cursor, reason: z.enum(['epoch', 'too_far_behind']) }),
  z.object({ type: z.literal('typing'), conversationId: ConversationId, memberId: MemberId }),
  z.object({
    type: z.literal('draft'),
    conversationId: ConversationId,
    memberId: MemberId,
    taskId: TaskId,
    text: z.string().nullable().describe('what the agent has written so far, replaced each time; null: withdrawn'),
  }),
  z.object({
    type: z.literal('tool'),
    taskId: TaskId,
    tools: z.array(z.string()).describe('the tools that the task’s agent is using now, by name; empty: none'),
    since: z.number().describe('when the first of them was called; with none, when the last one ended'),
  }),
  z.object({ type: z.literal('presence'), memberId: MemberId, online: z.boolean() }),
  z.object({ type: z.literal('woken'), agentId: MemberId, woken: Woken.describe('the agent’s present work for events') }),
  z.object({ type: z.literal('chain'), chainId: ChainId.describe('a step whose facts you do not get has moved: fetch the chain') }),
]);
export type StreamSign = z.infer<typeof StreamSign>;
export type StreamEvent = StreamFact | StreamSign;

/** What a client may say on the socket; everything that is kept goes over HTTP. */
export const SocketCommand = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('typing'), conversationId: ConversationId }),
  z.strictObject({ type: z.literal('ping') }),
]);
export type SocketCommand = z.infer<typeof SocketCommand>;
