import { z } from 'zod';
import { ChainId, ConversationId, InvocationId, MemberId, MessageId, TaskId } from '../ids.ts';
import { Body, Signal } from '../conversations/messages.ts';
import { ProvokedStep, ManifestWaking, Woken } from './provoked-work.ts';

/** How much an agent does unasked. */
export const BehaviourMode = z.enum(['autonomous', 'supervised', 'strict']);

// Tasks, chains and what the platform says of them.

/** It becomes a message, and is held to what a message may be. */
const words = (most: number) =>
  Body.refine((text) => text.trim() !== '', 'must not be empty').refine(
    (text) => text.length <= most,
    `must be at most ${most} characters`,
  );

export const TaskState = z.enum([
  'queued',
  'offered',
  'active',
  'waiting',
  'awaiting_approval',
  'awaiting_delegation',
  'completed',
  'failed',
  'declined',
  'timed_out',
  'cancelled',
]);

/** Why a task ended, or why it does not go on. */
export const TaskCause = z.enum([
  'answered',
  'declined',
  'blocked',
  'run_time', // the chain's running time is over
  'outer_limit', // 24 hours since the chain began
  'waited_too_long', // for a person
  'offline', // its agent did not come back in time
  'stopped', // by a person entitled to
  'redirected',
  'parent_ended',
  'request_deleted',
  'request_edited', // it no longer calls this agent
  'agent_left',
  'requester_left',
  'channel_archived',
  'budget',
  'no_progress', // it and the one above made no progress
  'settled', // what it was to remind of is settled
  'brain_failed',
  'nobody_took_it', // all who could have let it go
  'role_removed',
  'signalled', // its agent marked it as done or agreed
  'already_handled', // so its requester marked it
  'asked_to_leave', // its agent was
  'claim_expired', // its agent took it on an open floor, and said nothing
  'disconnected', // its agent took it there, and went before its first word
]);
export type TaskCause = z.infer<typeof TaskCause>;

export const AddressedBy = z.enum([
  'mention',
  'role',
  'all_agents',
  'any_agent',
  'dm',
  'reply',
  'follow_up',
  'assigned',
  'question',
  'edit',
  'redirect',
  'obligation',
  'thread', // said to nobody on an open floor, in a thread it takes part in: it claimed it
  'ambient', // the same, anywhere else
  'agent_ask', // another agent waits for its answer
  'agent_delegation', // another agent delegated to it, and gets the result
]);
export type AddressedBy = z.infer<typeof AddressedBy>;

/** A failure that somebody can mend at once. */
const FailureCode = z.enum(['no_key']).describe('`no_key`: its model needs a key that is not set');
export type FailureCode = z.infer<typeof FailureCode>;

export const Task = z.object({
  id: TaskId,
  seq: z.number().describe('its place in the stream'),
  chainId: ChainId,
  parentId: TaskId.nullable().describe('the task that delegated it'),
  agentId: MemberId.nullable().describe('null: nobody has taken it yet'),
  requesterId: MemberId.nullable().describe('who asked: a person, or the agent of the task above'),
  chainRequesterId: MemberId.nullable().describe('who began the chain'),
  conversationId: ConversationId,
  messageId: MessageId.describe('what asked for it'),
  state: TaskState,
  cause: TaskCause.nullable(),
  reason: z.string().nullable().describe('`failed`: the reason, in the platform’s words; null: `cause` says it all'),
  failure: FailureCode.nullable(),
  addressedBy: AddressedBy,
  unaddressed: z
    .literal(true)
    .optional()
    .describe(
      'it began with a question in a thread to nobody by name: its requester goes on with it by a question, a reply or its agent’s name',
    ),
  askedIn: ConversationId.nullable().describe('`waiting`: where it asked; the answer is given there'),
  composingUntil: z
    .number()
    .nullable()
    .describe('`queued`: its requester may still be writing; its turn begins then, unless more comes. Null: it waits for no more'),
  growing: z
    .object({ conversationId: ConversationId, until: z.number() })
    .nullable()
    .describe(
      'until then its requester’s next messages there belong to the request, unless its agent acts or somebody else posts (C2A-28)',
    ),
  depth: z.number(),
  agentOnline: z.boolean().describe('false: it is queued until its agent comes back'),
  answerId: MessageId.nullable(),
  tainted: z.boolean().describe('its agent has read words from outside its requester’s trust (SYS-13)'),
  createdAt: z.number(),
  updatedAt: z.number(),
  endedAt: z.number().nullable(),
  timer: z
    .object({ running: z.boolean(), endsAt: z.number().nullable(), leftMs: z.number().nullable(), outerAt: z.number() })
    .nullable()
    .describe('the chain’s clock: when it runs out, or how much is left while it is paused; null once the task has ended'),
});
export type Task = z.infer<typeof Task>;

export const HiddenTask = z.object({ hidden: z.literal(true), id: TaskId, parentId: TaskId.nullable(), state: TaskState });

export const ChainStep = Task.extend({
  title: z.string().nullable().describe('the first line of the request; null: not yours to read, or deleted'),
  invocationId: InvocationId.nullable().describe('the invocation whose result opened it'),
});

/** A chain as one viewer may see it: the steps they may read, the rest as hidden ones. */
/** A negotiation that a task of the chain opened. Its words are at the person's peer. */
export const NegotiationInChain = z.object({
  taskId: TaskId,
  threadId: z.string().nullable().describe('null: it is not yours'),
  state: z.string().nullable().describe('null: it is not yours'),
  open: z.boolean(),
  createdAt: z.number(),
});
export type NegotiationInChain = z.infer<typeof NegotiationInChain>;

export const Chain = z.object({
  id: ChainId,
  requesterId: MemberId.nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  outerAt: z.number(),
  turns: z.number(),
  micros: z.number().describe('money spent, in millionths of a US dollar'),
  reservedMicros: z.number().describe('reserved for running turns, in addition: the most that they can still cost'),
  tokens: z.object({ input: z.number(), output: z.number() }).describe('what models have read and written in it'),
  timer: Task.shape.timer.describe('its clock: when it runs out, or how much is left while it is paused; null once it has ended'),
  steps: z.array(z.union([ChainStep, HiddenTask])),
  provoked: z.array(ProvokedStep).describe('its events and what they started, in order; steps you may not see are hidden'),
  negotiations: z.array(NegotiationInChain).describe('opened by tasks that you may see, in order'),
});
export type Chain = z.infer<typeof Chain>;

export const ChainQuery = z.strictObject({
  state: z.enum(['open', 'all']).default('open'),
  conversationId: ConversationId.optional().describe('with a task there, or in a thread of it'),
  agentId: MemberId.optional().describe('with a task of this agent'),
  limit: z.coerce.number().int().min(1).max(100).default(50),
});

export const TaskQuery = z.strictObject({
  state: z.enum(['open', 'all']).default('open'),
  conversationId: ConversationId.optional(),
  agentId: MemberId.optional(),
  limit: z.coerce.number().int().min(1).max(200).default(100),
});

/** Held by the runner of a task's turn; a runner that was replaced holds an old one. */
export const Lease = z.int().min(0);

export const StartedTask = z.object({ task: Task, lease: Lease });

export const DeclineTask = z.strictObject({
  lease: Lease.optional(),
  outcome: z.enum(['declined', 'blocked']).default('declined').describe('`blocked`: cannot, needs something first'),
  reason: words(2000),
});

export const SendSignal = z.strictObject({
  signal: Signal,
  lease: Lease.optional().describe('agents: the lease of the task that this ends or pauses, once it was begun'),
});

export const RedirectTask = z.strictObject({
  instruction: words(10_000),
  agentId: MemberId.optional().describe('another agent: this task is stopped and a new one begins in the same chain'),
});

/** An answer to what waits for a person. */
export const CloseCheckpoint = z.strictObject({
  choice: z.string().regex(/^[a-z_]{1,50}$/, 'must be one of its choices'),
  seen: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,200}$/, 'must be a digest')
    .optional()
    .describe('approvals: the `digest` of the call as shown; required where a list shows only part of the call'),
  turns: z.int().min(1).max(100).optional().describe('`go_on`: for how many turns two agents may go on; default 10'),
  instruction: words(10_000)
    .optional()
    .describe('`redirect`: what the agent is to do instead; `different` and `continue`: what to try instead'),
});

export const NoticeKind = z.enum([
  'unknown_handle', // nobody here has it; `nearest` may be meant; `reason`: `look_alike`, `quoted` or `indented` where the text only looks like an address
  'not_here', // a member, but not of this conversation; `memberId` could be invited
  'agent_offline', // the request is queued until it comes back
  'owner_agent_offline', // to its owner: someone asked for it
  'no_agents', // `^ALL` where no agent is
  'nobody_available', // `^ANY`, or a role, found no agent that is here and awake
  'nobody_holds', // a role that nobody here holds
  'nobody_took_it', // every agent that could take it has let it go
  'task_timed_out',
  'task_failed',
  'task_stopped',
  'may_have_happened', // a step of an agent's turn was under way when its runner was lost, and cannot be repeated
  'not_taken', // `agentId` takes no requests from you
  'nothing_to_answer', // it was said to an agent, with nothing but filler in it, and woke nobody
  'obligation_due', // `memberId` waits for an answer of yours
  'approval_due', // `agentId` waits for your approval
  'agent_signalled', // it is blocked, or what you asked is unclear to it: `reason`; the task waits for you
  'not_delegated', // an agent's address made no task; `reason` says why
  'space_shared', // somebody shares a space with you; `reason` is its ID
  'space_changed', // something in a shared space of yours concerns you; `reason` is its ID
  'handle_changed', // somebody else changed your handle, or that of your agent `agentId`; `memberId` did it, null: the operator
  'triggers_off', // your access role was raised, which switched off your triggers, manifests, schedules and monitors
  'agent_given', // your agent `agentId` is `memberId`’s now
  'token_created', // `memberId` made a token for your agent `agentId`
  'invocation_failed', // what an event started for you has failed for good, or expired: `invocationId`; `reason` is how its last attempt ended, `expired` or `not_delivered`
]);
export type NoticeKind = z.infer<typeof NoticeKind>;

/** The platform speaking to one member. It never repeats what somebody wrote; `start` and `end` point into the message. */
export const Notice = z.object({
  seq: z.number(),
  at: z.number(),
  kind: NoticeKind,
  conversationId: ConversationId.nullable().describe('null: one you are not in'),
  messageId: MessageId.nullable(),
  taskId: TaskId.nullable(),
  invocationId: InvocationId.nullable(),
  agentId: MemberId.nullable(),
  memberId: MemberId.nullable(),
  nearest: z.string().nullable(),
  reason: z.string().nullable(),
  failure: FailureCode.nullable(),
  error: z.string().nullable().describe('of a failed invocation: why, in the platform’s words, while it is kept'),
  start: z.number().nullable(),
  end: z.number().nullable(),
});
export type Notice = z.infer<typeof Notice>;

export const AgentStatus = z.enum(['offline', 'sleeping', 'working', 'awaiting_approval', 'awaiting_delegation', 'idle']);
export const Brain = z.enum(['builtin', 'model', 'remote']);

/** One agent record (SYS-8). */
export const Agent = z.object({
  id: MemberId,
  handle: z.string(),
  displayName: z.string(),
  about: z.string(),
  ownerId: MemberId.nullable(),
  manifestId: z.string().nullable(),
  relayAddress: z.string().nullable(),
  brain: Brain,
  status: AgentStatus,
  maxConcurrent: z.number().describe('turns at once in one conversation'),
  asleepUntil: z.number().nullable(),
  mode: BehaviourMode.describe('what it may do without approval: `supervised` asks before each change, `strict` before every tool'),
  woken: Woken.describe('its present work for events; part of its status'),
  waking: ManifestWaking.nullable().describe('of an agent made by a manifest: what wakes it besides people'),
  privateNotes: z.boolean().describe('it has private notes of its owner; they are withheld where its answer or a tool reaches others'),
  privateTools: z
    .array(z.string())
    .optional()
    .describe('in the list: its tool servers that return one person’s own data, which is withheld where others hear its answer'),
  needsKey: z
    .string()
    .nullable()
    .optional()
    .describe('in the list: the name of the key that its model needs and that is not set; null: none'),
  problem: z
    .string()
    .nullable()
    .optional()
    .describe('in the list: why its model or its webhook cannot be asked, and what to do; null: nothing is known'),
  toolProblems: z.array(z.string()).optional().describe('in the list: those of its tools that cannot be used now, and why'),
});
export type Agent = z.infer<typeof Agent>;

/** An agent's owner has blocked a member for it. */
export const AgentBlock = z.object({
  agentId: MemberId,
  memberId: MemberId,
  blockedBy: MemberId.nullable(),
  at: z.number(),
});
export type AgentBlock = z.infer<typeof AgentBlock>;

export const EditAgent = z.strictObject({
  brain: Brain.optional(),
  maxConcurrent: z.int().min(1).max(16).optional(),
  asleepUntil: z.int().min(0).nullable().optional(),
  mode: BehaviourMode.optional(),
});

export const Halt = z.object({ halted: z.boolean(), since: z.number().nullable(), by: MemberId.nullable() });
export type Halt = z.infer<typeof Halt>;

/** The demo story. `conversationId`: where it plays; null while there is none, and for those who may not play it. */
export const Demo = z.object({
  mayPlay: z.boolean(),
  played: z.boolean().describe('it plays, or one was played and removed; false for those who may not play it'),
  conversationId: ConversationId.nullable(),
});
export type Demo = z.infer<typeof Demo>;
