// A negotiation among several people: who takes part, and how far each of them is (A2C-30).

import { z } from 'zod';
import { FreeFields } from '../relay/packet-fields.ts';

export const groupStatuses = ['waiting', 'answered', 'asked', 'confirmed', 'conflict', 'declined', 'missed'] as const;
export type GroupStatusName = (typeof groupStatuses)[number];

export const GroupProgress = z.object({
  coordinator: z.string().describe('address of the peer that collects answers, proposes and counts confirmations'),
  coordinatorName: z.string(),
  coordinates: z.boolean().describe('your own peer is the coordinator'),
  quorum: z.number().nullable().describe('so many confirmations are enough; null: this side does not know it yet'),
  confirmed: z.number().nullable().describe('null where this side cannot know it'),
  order: z.array(z.string()).describe('addresses of those who confirm one after the other; empty: everybody at once'),
  members: z.array(
    z.object({
      address: z.string(),
      name: z.string(),
      isMe: z.boolean(),
      status: z.enum(groupStatuses).nullable().describe('null where this side cannot know it'),
      received: FreeFields.optional().describe('of one negotiation, at the coordinator: what they gave'),
    }),
  ),
  answersBy: z.number().nullable().describe('at the coordinator, while it waits for answers: when it goes on, or asks its person'),
  offeredTo: z.string().nullable().describe('address of the member whose peer was asked to coordinate and has not answered'),
  binding: z.string().nullable().describe('at the coordinator, for its person alone: what stands against a common time'),
});
export type GroupProgress = z.infer<typeof GroupProgress>;
