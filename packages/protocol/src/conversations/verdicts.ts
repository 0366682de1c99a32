// What is decided about a message, before it is sent and after.

import { z } from 'zod';
import { Floor } from './conversations.ts';
import { InvocationId, MemberId, MessageId } from '../ids.ts';
import { EventSender } from '../tasks/provoked-work.ts';
import { Notice, Task, TaskCause } from '../tasks/tasks.ts';

export const Policy = z.enum(['must_respond', 'may_respond', 'must_not_respond']);
export type Policy = z.infer<typeof Policy>;
export const Mode = z.enum(['immediate', 'buffered', 'notify', 'tool_mailbox', 'digest', 'silent']);
export type Mode = z.infer<typeof Mode>;

const decided = { policy: Policy, mode: Mode, reason: z.string().describe('the line of the list that decided') };
const spoken = { ...decided, text: z.string().describe('the same in a sentence') };
const agent = { agentId: MemberId, handle: z.string().describe('its present name') };

export const Outcome = z.enum([
  'answered',
  'working',
  'waiting', // for its turn, for a person, or for somebody to take it
  'declined', // it said no
  'silent', // it could have answered and did not
  'forbidden', // the policy: it was not to answer
  'withheld', // it was addressed, with nothing but filler
  'refused', // it was called and the bounds of the chain did not let it be asked
  'not_needed', // another took it
  'not_asked', // it could have been asked, and was not
  'stopped', // a person, or what it hung on, ended it
  'failed', // the runtime: an error, no time, no budget, nobody there
]);
export type Outcome = z.infer<typeof Outcome>;

/** As it was kept when the message was placed: nothing that happens later changes a byte of it. */
export const RecordedVerdict = z.object({
  rules: z.number().describe('the version of the rules that decided'),
  floor: Floor,
  words: z
    .object({
      filler: z.boolean().optional(),
      status: z.boolean().optional(),
      question: z.boolean().optional(),
      clearQuestion: z.boolean().optional(),
    })
    .describe('what the classifiers said, of those that were asked'),
  urgent: z.boolean(),
  notification: z.boolean(),
  to: z
    .object({
      members: z.array(MemberId),
      roles: z.array(z.string()),
      allAgents: z.boolean(),
      anyAgent: z.boolean(),
      allPeople: z.boolean(),
      anyPerson: z.boolean(),
    })
    .describe('who was addressed'),
  others: z.object(decided).describe('for every agent that is not listed'),
  agents: z
    .array(z.object({ agentId: MemberId, ...decided, task: z.boolean(), withheld: z.boolean() }))
    .describe('agents in the conversation at that time; those that got a verdict of their own first'),
  more: z.number().describe('further agents that were there; `others` holds for all of them'),
});
export type RecordedVerdict = z.infer<typeof RecordedVerdict>;

export const WouldNow = z.object({
  rules: z.number(),
  floor: Floor,
  agents: z.array(z.object({ ...agent, ...spoken })).describe('those for whom it would differ; when asked for, all that are here'),
  others: z.object(spoken),
});
export type WouldNow = z.infer<typeof WouldNow>;

/** The event that woke an invocation, and its outcome in one word. */
export const WakingEvent = z.object({
  invocationId: InvocationId,
  triggerId: z.string().nullable().describe('null: it is kept no longer'),
  event: z
    .object({ id: z.string(), type: z.string(), source: z.string().describe('as the event says'), ...EventSender.shape })
    .nullable()
    .describe('null: it is kept no longer, or not yours to see'),
});
export type WakingEvent = z.infer<typeof WakingEvent>;

export const Explanation = z.object({
  messageId: MessageId,
  provoked: WakingEvent.nullable().describe('the invocation that posted it; null: none did'),
  recorded: RecordedVerdict.nullable().describe('null: no verdict was kept, as for messages older than this record'),
  floor: Floor.describe('as it was then'),
  agents: z.array(
    z.object({
      ...agent,
      ...spoken,
      asked: z.number().nullable().describe('its place in the offer round on an open floor; null: it was not asked'),
      assignedBy: MemberId.nullable().describe('the person who assigned it to this agent'),
      outcome: Outcome,
      cause: TaskCause.nullable().describe('why its task ended'),
      task: Task.nullable(),
      problems: z.array(z.string()).describe('of one with a task: why it, or tools of it, cannot work now'),
    }),
  ),
  quiet: z.number().describe('further agents that were there; `others` holds for all of them'),
  others: z.object(spoken).nullable().describe('null: not kept'),
  notices: z.array(Notice).describe('the notices you got about this message; for the operator, those of its author'),
  wouldNow: WouldNow.nullable().describe('the decision that would be made now: where it differs, or on request'),
});
export type Explanation = z.infer<typeof Explanation>;

export const ExplainQuery = z.strictObject({
  wouldNow: z.enum(['true', 'false']).default('false').describe('`true`: also the decision that would be made now'),
});

/** What only the hub knows, and what may have changed by the time the message is sent. */
export const Preview = z.object({
  floor: Floor,
  agents: z.array(z.object({ ...agent, ...spoken })),
  quiet: z.number().describe('further agents here; `others` holds for all of them'),
  others: z.object(spoken),
  all: z
    .object({
      agents: z.number(),
      known: z.number().describe('so many of them have past turns'),
      micros: z.number().nullable().describe('the estimate, in millionths of a dollar; null: no past turns'),
      text: z.string(),
    })
    .nullable()
    .describe('`^ALL`: the agents it would wake, and the estimated cost'),
  mayChange: z.array(
    z.object({
      agentId: MemberId,
      offline: z.boolean(),
      sleeping: z.boolean(),
      ahead: z.number().describe('open tasks of the agent in this conversation that come before'),
      spent: z.boolean().describe('it has had all the turns it may have today'),
    }),
  ),
});
export type Preview = z.infer<typeof Preview>;
