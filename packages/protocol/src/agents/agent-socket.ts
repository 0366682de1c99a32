// How an agent of any make connects: JSON-RPC 2.0 over a WebSocket at `/api/v1/agent`, with an agent's token. The hub sends
// `deliver` notifications, each with a cursor; the agent acknowledges with `ack` once it has stored them, and after a
// reconnect gets everything since. Everything an agent says names its task and lease.

import { z } from 'zod';
import { ChainId, ConversationId, MemberId, MessageId, ObligationId, TaskId } from '../ids.ts';
import { AnsweredApproval, ContactAgent, ContactOutcome } from '../tasks/contacts.ts';
import { Digest, DigestSetting, Mailbox, MailboxCursor, MailboxSeen, SetDigest } from './mailboxes.ts';
import { Body, IdempotencyKey, Message, MessagePage, SearchPage, Signal, SignalMeaning, TaskWordKind } from '../conversations/messages.ts';
import { Member } from '../people/members.ts';
import { DeclareObligation, Obligation, ObligationSide, SignalObligation } from '../tasks/obligations.ts';
import { Agent, DeclineTask, Lease, SendSignal, StartedTask, Task } from '../tasks/tasks.ts';
import { AgentTool, ToolCallResult } from './tools.ts';
import { Mode, Policy } from '../conversations/verdicts.ts';

export const agentSocketPath = '/api/v1/agent';

/** A call of an earlier turn of a task. Arguments and result are data, and cut to 2,000 characters each. */
export const EarlierCall = z.object({
  name: z.string(),
  input: z.string().nullable().describe('JSON, or the beginning of it'),
  result: z.string().nullable(),
  outcome: z
    .enum(['done', 'unknown', 'forgotten', 'private'])
    .describe('`unknown`: it may have happened; `forgotten`: a message was deleted since; `private`: it holds private values'),
});

/** An event for an agent. `content` is text somebody wrote and is never more than that (C2A-29). */
export const AgentEvent = z.object({
  eventId: z.string().describe('the same at every delivery of the same event'),
  kind: z.enum([
    'task', // yours now; `lease` comes with it
    'edit', // what you have answered was edited: yours again, with its `lease`, if you have something to add
    'follow_up', // more was said in a task of yours; `immediate`: it interrupts you, and `lease` is the one you have from now on
    'correction', // something said in it was edited, and you have acted already; `content` is the new text
    'offer', // ^ANY, or a role of yours: claim it to have it; an open floor's has no task yet (`RoundOffer`)
    'result', // a sub-task you gave away has ended, or asks: `cause` is its state
    'approval', // a person has answered an approval; `approvals` says how. Make the call again if it was approved
    'obligation', // somebody waits for an answer of yours: a knock, without a word of it; `read.message` gives the words
    'flagged', // something you said made no task; `cause` says why
    'ended', // your task ended without you, or your claim did: `cause` says why
    'signal', // somebody reacted to what you said in it; `signal` says how
  ]),
  conversation: z.object({ id: ConversationId, kind: z.enum(['dm', 'channel', 'thread']) }),
  author: z.object({ id: MemberId, kind: z.enum(['human', 'agent']), handle: z.string(), displayName: z.string() }).nullable(),
  addressedToMe: z.boolean(),
  policy: Policy,
  mode: Mode,
  reason: z.string(),
  messageId: MessageId.nullable(),
  content: z.string().nullable(),
  topic: z
    .string()
    .nullable()
    .describe(
      '`notify` and `digest`: what it is about in the platform’s words; `content` is null, and of a knock until you `pull` it. `flagged`: why, and what to do instead',
    ),
  recipients: z.array(z.string()).describe('handles the message addresses'),
  words: z
    .array(
      z.object({
        messageId: MessageId,
        authorId: MemberId.nullable(),
        kind: z.enum(['request', 'signal', ...TaskWordKind.options]),
        content: z.string().describe('empty for a `signal`, which is no text'),
        signal: Signal.optional(),
      }),
    )
    .describe(
      '`task`, `edit`, and a `follow_up` that interrupts you: everything said in it so far, yours included: after a reconnect you can go on where you were',
    ),
  createdAt: z.number(),
  chain: z.object({ id: ChainId, depth: z.number(), path: z.array(MemberId), endsAt: z.number().nullable() }),
  task: Task,
  lease: Lease.nullable(),
  cause: z.string().nullable(),
  approvals: z
    .array(AnsweredApproval)
    .optional()
    .describe('`task`, `edit` and `approval`: your calls that were answered, and not made since'),
  calls: z
    .array(EarlierCall)
    .optional()
    .describe('`task`, `edit`, and a `follow_up` that interrupts you: the tools you have called in earlier turns of the task, the newest'),
  pending: z
    .object({
      subtasks: z.array(
        z.object({
          taskId: TaskId,
          agentId: MemberId.nullable(),
          state: z.string(),
          request: z.string().nullable().describe('null: its message was deleted'),
        }),
      ),
      approvals: z.array(z.object({ id: z.string(), name: z.string(), input: z.string().nullable() })),
    })
    .optional()
    .describe('as `calls`: work you have given to others, and calls a person is asked to approve. Their results come by themselves'),
  obligationId: ObligationId.optional().describe('`obligation`: the one that came back'),
  signal: z.object({ signal: Signal, meaning: SignalMeaning }).optional(),
});
export type AgentEvent = z.infer<typeof AgentEvent>;

const outsideTask = { chain: z.null(), task: z.null(), lease: z.null() };

/** You were asked to leave a conversation: not a word there any more, but for one goodbye until `goodbyeUntil`, and in the threads of `finishing`. */
export const LeaveEvent = AgentEvent.omit({ signal: true }).extend({
  kind: z.literal('leave'),
  goodbyeUntil: z.number(),
  finishing: z
    .array(z.object({ taskId: TaskId, conversationId: ConversationId }))
    .describe('your open tasks there for other requesters: finish each in its thread'),
  ...outsideTask,
});
export type LeaveEvent = z.infer<typeof LeaveEvent>;

/**
 * Said to nobody by name on an open floor, and it is your turn to be asked: a knock, with no task before you `claim` it by
 * its `messageId`. `pass` it on when it is not for you; at `until` it goes to the next.
 */
export const RoundOffer = AgentEvent.omit({ signal: true, obligationId: true }).extend({
  kind: z.literal('offer'),
  messageId: MessageId,
  until: z.number(),
  ...outsideTask,
});
export type RoundOffer = z.infer<typeof RoundOffer>;

/** What went on in a conversation that was not put before you (C2A-7): counted, in the platform’s words, nothing to answer. */
export const DigestEvent = AgentEvent.omit({ signal: true, obligationId: true }).extend({
  kind: z.literal('digest'),
  digest: Digest,
  ...outsideTask,
});
export type DigestEvent = z.infer<typeof DigestEvent>;

export const Delivery = z.object({ cursor: z.number().int(), event: z.union([AgentEvent, RoundOffer, LeaveEvent, DigestEvent]) });
export type Delivery = z.infer<typeof Delivery>;

export const Say = z.strictObject({
  taskId: TaskId,
  lease: Lease,
  kind: z
    .enum(['progress', 'question', 'answer'])
    .describe('if newer messages are not acknowledged, an answer counts as progress; `task.kind` of the message says so'),
  body: Body.refine((body) => body.trim() !== '', 'must not be empty'),
  conversationId: ConversationId.optional().describe('one that the task grants; default: where it was opened'),
  key: IdempotencyKey.optional(),
  obligation: DeclareObligation.optional().describe('questions and progress: you are blocked until the one you ask has answered'),
});
export type Say = z.input<typeof Say>;

const inTask = { taskId: TaskId };

/** Of what an agent holds; what is beyond it is given to it again. */
export const maxHolds = 1000;

/** Methods an agent may call: parameters and result. */
export const agentMethods = {
  initialize: {
    params: z.strictObject({
      client: z.string().max(100).optional(),
      holds: z
        .array(z.strictObject({ taskId: TaskId, lease: Lease }))
        .max(maxHolds)
        .optional()
        .describe('the tasks you still hold from an earlier connection'),
    }),
    result: z.object({
      me: Member,
      cursor: z.number().int(),
      kept: z.array(TaskId).describe('of your `holds`: still yours, under the same lease. Your other tasks come again as a `task`'),
      protocol: z.literal('parley-agent/1'),
    }),
  },
  ack: { params: z.strictObject({ cursor: z.int().min(0) }), result: z.object({}) },
  claim: {
    params: z
      .strictObject({ taskId: TaskId.optional(), messageId: MessageId.optional() })
      .refine(({ taskId, messageId }) => (taskId === undefined) !== (messageId === undefined), 'names a task or a message'),
    result: StartedTask,
  },
  pass: { params: z.strictObject({ messageId: MessageId }), result: z.object({}) },
  pull: {
    params: z
      .strictObject({ taskId: TaskId.optional(), eventId: z.string().max(100).optional() })
      .refine(({ taskId, eventId }) => (taskId === undefined) !== (eventId === undefined), 'names a task or an event'),
    result: z.union([AgentEvent, RoundOffer]),
  },
  say: { params: Say, result: Message },
  goodbye: {
    params: z.strictObject({
      conversationId: ConversationId,
      body: Body.refine((body) => body.trim() !== '', 'must not be empty'),
      key: IdempotencyKey.optional(),
    }),
    result: Message,
  },
  signal: { params: SendSignal.extend({ messageId: MessageId }), result: z.object({}) },
  draft: { params: z.strictObject({ ...inTask, lease: Lease, text: Body }), result: z.object({}) },
  pause: { params: z.strictObject({ ...inTask, lease: Lease }), result: Task },
  contact: { params: ContactAgent, result: ContactOutcome },
  decline: { params: DeclineTask.extend({ ...inTask, lease: Lease }), result: Task },
  'obligation.list': { params: z.strictObject({ side: ObligationSide }), result: z.object({ obligations: z.array(Obligation) }) },
  'obligation.signal': { params: SignalObligation.extend({ obligationId: ObligationId }), result: Obligation },
  'obligation.discharge': { params: z.strictObject({ obligationId: ObligationId }), result: Obligation },
  'read.history': {
    params: z.strictObject({
      ...inTask,
      conversationId: ConversationId.optional(),
      before: z.int().min(1).optional(),
      limit: z.int().min(1).max(200).default(50),
    }),
    result: MessagePage,
  },
  'read.message': { params: z.strictObject({ ...inTask, messageId: MessageId }), result: Message },
  'read.prompt': {
    params: z.strictObject(inTask),
    result: z.object({
      system: z.string().describe('the platform’s own words: rules, and what it knows of the task'),
      user: z.string().describe('everything anybody wrote in the task, each in a block that names who did'),
    }),
  },
  'read.search': {
    params: z.strictObject({ ...inTask, q: z.string().trim().min(1).max(200), limit: z.int().min(1).max(50).default(20) }),
    result: SearchPage,
  },
  'read.mailbox': {
    params: z.strictObject({
      ...inTask,
      conversationId: ConversationId.optional(),
      after: z.int().min(0).optional(),
      limit: z.int().min(1).max(200).default(50),
    }),
    result: Mailbox,
  },
  'mailbox.seen': { params: MailboxSeen.extend({ conversationId: ConversationId }), result: MailboxCursor },
  'digest.set': { params: SetDigest.extend({ conversationId: ConversationId }), result: DigestSetting },
  'read.agents': { params: z.strictObject(inTask), result: z.object({ agents: z.array(Agent) }) },
  tools: { params: z.strictObject({ ...inTask, lease: Lease }), result: z.object({ tools: z.array(AgentTool) }) },
  tool: {
    params: z.strictObject({
      ...inTask,
      lease: Lease,
      name: z.string().min(1).max(100),
      input: z.record(z.string(), z.unknown()).default({}),
      key: IdempotencyKey.optional().describe('the same call again under the same key is made once'),
    }),
    result: ToolCallResult,
  },
  'read.tasks': { params: z.strictObject({}), result: z.object({ tasks: z.array(Task) }) },
} as const satisfies Record<string, { params: z.ZodType; result: z.ZodType }>;
export type AgentMethod = keyof typeof agentMethods;
export type AgentParams<M extends AgentMethod> = z.input<(typeof agentMethods)[M]['params']>;
export type AgentResult<M extends AgentMethod> = z.output<(typeof agentMethods)[M]['result']>;

export const RpcRequest = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(100), z.number()]),
  method: z.string().max(100),
  params: z.unknown().optional(),
});
export const RpcAnswer = z.union([
  z.object({ jsonrpc: z.literal('2.0'), id: z.union([z.string(), z.number(), z.null()]), result: z.unknown() }),
  z.object({
    jsonrpc: z.literal('2.0'),
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }),
  }),
]);

/** JSON-RPC's own codes; a refusal by the platform is `refused` with our error in `data`. */
export const rpcCodes = {
  parse: -32700,
  invalidRequest: -32600,
  noMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  refused: -32000,
} as const;
