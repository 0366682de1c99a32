// A negotiation as its person reads it: where it is, what went out, what did not, and what came.

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { CheckpointId, TaskId } from '../ids.ts';
import { GroupProgress } from './groups.ts';
import { OutsideRequest } from './outside.ts';
import { ShownProposal } from './prompts.ts';
import { FreeFields, Needs } from '../relay/packet-fields.ts';

export const NegotiationSummary = z.object({
  threadId: z.string(),
  peer: z.string(),
  peerName: z.string(),
  role: z.enum(['initiator', 'responder']),
  state: z.string(),
  intent: z.string().describe('what was asked for'),
  intentBy: z.enum(['own', 'peer']).describe('whose words the intent is in'),
  reading: z.string().nullable().describe('how your peer read your request; null where somebody else asked, or it names no meeting'),
  title: z.string().describe('what it is about now: the proposal, else the request'),
  isOutside: z.boolean().describe('the other side has no agent'),
  waitsForMe: z.boolean(),
  notice: z.string().nullable().describe('what holds it up now, such as a model that does not answer'),
  line: z.string().nullable().optional().describe('of a change: why the relay was not reached; packets wait in the outbox until it is'),
  createdAt: z.number(),
  updatedAt: z.number(),
  group: GroupProgress.optional().describe('absent between two'),
});
export type NegotiationSummary = z.infer<typeof NegotiationSummary>;

/** One line of the timeline. */
export const NegotiationStep = z.object({
  at: z.number(),
  by: z.enum(['me', 'peer', 'platform']),
  kind: z.string().describe('a packet’s type, `prompt`, `answer`, or a notice'),
  text: z.string().describe('what happened, in the platform’s words'),
  shared: FreeFields.describe('values that this step carried'),
  asked: z.array(z.string()).describe('fields that this step asked for'),
  withheld: z.array(z.string()).describe('fields that were asked for and not given'),
});
export type NegotiationStep = z.infer<typeof NegotiationStep>;

/** What models did in a negotiation (A2C-37). */
const ModelSteps = z.object({
  steps: z.array(
    z.object({
      at: z.number(),
      task: z.string(),
      size: z.string(),
      provider: z.string(),
      model: z.string(),
      confidence: z.number(),
      isTainted: z.boolean().describe('it had read words of their peer'),
      dropped: z.array(z.string()),
      regenerations: z.number(),
    }),
  ),
  dropped: z.number().describe('how often a model wanted what it may not'),
  retryAt: z.number().nullable().describe('when a packet is tried again that waits because no model answered'),
});

export const WholeNegotiation = NegotiationSummary.extend({
  proposal: ShownProposal.extend({ hash: z.string() }).nullable(),
  isConfirmed: z.boolean().describe('by you'),
  isPaused: z.boolean(),
  received: FreeFields.describe('what they gave'),
  answered: z.array(z.string()).describe('fields that you gave or declined'),
  notes: z
    .array(z.object({ at: z.number(), notice: z.string(), details: FreeFields, text: z.string().describe('the same in words') }))
    .describe('what your peer noticed; a packet that it dropped is in `steps` only'),
  model: ModelSteps.nullable().describe('null where no model had to think'),
  outside: OutsideRequest.nullable().describe('of somebody without an agent; null between peers'),
  packets: z.number(),
  prompts: z.number(),
  steps: z.array(NegotiationStep),
  family: z
    .array(z.object({ relation: z.enum(['parent', 'fork', 'sibling']), threadId: z.string(), title: z.string(), state: z.string() }))
    .describe('what it was split off from, and what was split off'),
  sharedBefore: z.array(z.string()).optional().describe('fields that they got in other parts of what it was split off from'),
  checkpointIds: z.array(CheckpointId).describe('open ones of yours'),
  taskId: TaskId.nullable().describe('the task that opened it'),
});
export type WholeNegotiation = z.infer<typeof WholeNegotiation>;

const Whom = oneLine(200).min(1);
const mostOthers = 49;

export const OpenNegotiation = z
  .strictObject({
    with: z
      .union([Whom, z.array(Whom).min(1).max(mostOthers)])
      .describe(`a member’s handle, or the address of a peer; several make a group of at most ${mostOthers + 1} with you`),
    intent: oneLine(500).min(1),
    needs: Needs.default([]).describe('fields that you need from the one other person'),
    quorum: z
      .int()
      .min(2)
      .max(mostOthers + 1)
      .optional()
      .describe('in a group: so many confirmations are enough, yours too'),
    order: z
      .array(Whom)
      .max(mostOthers + 1)
      .optional()
      .describe('in a group: who confirms in which order'),
    answersWithin: z
      .int()
      .min(1)
      .max(7 * 24 * 60)
      .optional()
      .describe('in a group: minutes until a quorum goes on without those who have not answered'),
  })
  .superRefine(({ with: whom, needs, quorum, order, answersWithin }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (Array.isArray(whom) && whom.length > 1) {
      if (needs.length > 0) refuse('needs', 'asks one person; leave it out for a group');
      return;
    }
    for (const [name, given] of Object.entries({ quorum, order, answersWithin }))
      if (given !== undefined) refuse(name, 'is for groups; name two or more others in `with`');
  });
export type OpenNegotiation = z.infer<typeof OpenNegotiation>;

export const ChangeIntent = z.strictObject({
  intent: oneLine(500).min(1).describe('what it is about now, in your words'),
  needs: Needs.default([]).describe('fields to ask for besides'),
});

export const ForkNegotiation = z.strictObject({
  into: z.array(oneLine(500).min(1)).min(1).max(8).describe('what is split off, each in your words'),
  rest: oneLine(500).min(1).optional().describe('what is left; without it, it goes on as it is'),
});

export const TransferCoordination = z.strictObject({
  to: Whom.describe('the address of a member, as the group names it'),
  reason: oneLine(500).min(1).optional().describe('for their peer'),
});

/** What a person does to a negotiation that no prompt asks about. */
export const SteerNegotiation = z.strictObject({
  act: z.enum(['decline', 'continue']),
  words: z.string().trim().min(1).max(500).optional().describe('with `continue`: what to try instead, such as "next week"'),
});
