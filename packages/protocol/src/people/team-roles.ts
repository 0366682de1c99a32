// Handles that several members answer to. Access roles are another thing: see `Role` in members.ts.

import { z } from 'zod';
import { MemberId, RoleId } from '../ids.ts';
import { About, Handle } from './members.ts';

export const CalledRole = z.object({
  id: RoleId,
  handle: z.string(),
  about: z.string(),
  holderIds: z.array(MemberId).describe('active members, of those you may see'),
  createdAt: z.number(),
});
export type CalledRole = z.infer<typeof CalledRole>;

const holders = z.array(MemberId).max(100, 'must be at most 100');

export const AddRole = z.strictObject({ handle: Handle, about: About.default(''), holderIds: holders.default([]) });
export type AddRole = z.input<typeof AddRole>;

export const EditRole = z.strictObject({
  handle: Handle.optional(),
  about: About.optional(),
  holderIds: holders.optional().describe('all of them, in the place of those there were'),
});
export type EditRole = z.input<typeof EditRole>;
