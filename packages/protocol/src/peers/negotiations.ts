// A negotiation as its person reads it: where it is, what went out, what did not, and what came.

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { CheckpointId, TaskId } from '../ids.ts';
import { OutsideRequest } from './outside.ts';
import { FreeFields, Needs } from '../relay/packet-fields.ts';

const summary = {
  threadId: z.string(),
  peer: z.string(),
  peerName: z.string(),
  role: z.enum(['initiator', 'responder']),
  state: z.string(),
  intent: z.string().describe('what was asked for'),
  title: z.string().describe('what it is about now: the proposal, else the request'),
  isOutside: z.boolean().describe('the other side has no agent'),
  waitsForMe: z.boolean(),
  notice: z.string().nullable().describe('what holds it up now, such as a model that does not answer'),
  createdAt: z.number(),
  updatedAt: z.number(),
};

export const NegotiationSummary = z.object(summary);
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

export const WholeNegotiation = z.object({
  ...summary,
  proposal: z
    .object({
      hash: z.string(),
      summary: z.string(),
      reasoning: z.string(),
      alternatives: z.array(z.object({ summary: z.string(), reason: z.string().nullable() })),
    })
    .nullable(),
  outside: OutsideRequest.nullable().describe('of somebody without an agent; null between peers'),
  packets: z.number(),
  prompts: z.number(),
  steps: z.array(NegotiationStep),
  family: z
    .array(z.object({ relation: z.enum(['parent', 'fork', 'sibling']), threadId: z.string(), title: z.string(), state: z.string() }))
    .describe('what it was split off from, and what was split off'),
  checkpointIds: z.array(CheckpointId).describe('open ones of yours'),
  taskId: TaskId.nullable().describe('the task that opened it'),
});
export type WholeNegotiation = z.infer<typeof WholeNegotiation>;

export const OpenNegotiation = z.strictObject({
  with: oneLine(200).min(1).describe('a member’s handle, or the address of a peer'),
  intent: oneLine(500).min(1),
  needs: Needs.default([]),
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

/** What a person does to a negotiation that no prompt asks about. */
export const SteerNegotiation = z.strictObject({
  act: z.enum(['decline', 'continue']),
  words: z.string().trim().min(1).max(500).optional().describe('with `continue`: what to try instead, such as "next week"'),
});
