import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { MemberId, RoleId } from '../ids.ts';

export const roles = ['owner', 'admin', 'member', 'guest'] as const;
export const Role = z.enum(roles);
export type Role = z.infer<typeof Role>;

export const MemberKind = z.enum(['human', 'agent']);
export type MemberKind = z.infer<typeof MemberKind>;

/** `all any here everyone` address groups; they can be nobody's handle. */
export const reservedHandles: ReadonlySet<string> = new Set(['all', 'any', 'here', 'everyone']);

export const Handle = z
  .string()
  .regex(
    /^[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,30}[A-Za-z0-9])?$/,
    'must be 1 to 32 of A-Z a-z 0-9 _ . - and begin and end with a letter or digit',
  )
  .refine((handle) => !reservedHandles.has(foldHandle(handle)), 'is reserved: it addresses a group');

/** In a file: a handle, which means the member that it meant when it was first read, or a member's ID. */
export const HandleOrId = z.string().refine((name) => Handle.safeParse(name).success || MemberId.safeParse(name).success, {
  message: 'must be a handle or a member ID',
});

/** Handles are one case-folded namespace. They are ASCII, so lower case is the whole fold. */
export function foldHandle(handle: string): string {
  return handle.toLowerCase();
}

/** Emoji of several code points hold joiners and selectors that show. */
const emoji = /\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\uFE0F|\u200D\p{Extended_Pictographic})*/gu;
const unseen = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800\u{1D159}\u{13441}\u{13442}]/u;
export const isSeen = (name: string): boolean => !unseen.test(name.replaceAll(emoji, ''));
/** A pile of accents covers what stands above it. No script needs five on a letter. An empty name is said to be empty, and no more. */
const isAccented = (name: string): boolean => name === '' || (/[^\p{M}\s]/u.test(name) && !/\p{M}{5,}/u.test(name));

/** Text shown as a name: no control or direction characters, which could pass one member off as another (C2A-29). */
export const DisplayName = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(80, 'must be at most 80 characters')
  .regex(/^[^\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]*$/u, 'must not contain control or direction characters')
  .refine(isSeen, 'must not contain invisible characters')
  .refine((name) => !/^[@^]/.test(name.normalize('NFKC')), 'must not begin with @ or ^')
  .refine(isAccented, 'must not consist of accents, nor pile them up');

export const About = oneLine(500);

export const Member = z.object({
  id: MemberId,
  kind: MemberKind,
  handle: z.string(),
  displayName: z.string(),
  about: z.string(),
  role: Role,
  ownerId: MemberId.nullable().describe('agents: the person who answers for it'),
  managerId: MemberId.nullable(),
  status: z.enum(['active', 'deactivated', 'erased']),
  online: z.boolean().describe('people: they have a page open; agents: they can be woken (always true of agents that the hub runs)'),
  dndUntil: z.number().nullable().describe('do not disturb until this time (ms); only shown to the member itself'),
  createdAt: z.number(),
});
export type Member = z.infer<typeof Member>;

export const MemberQuery = z.strictObject({
  after: MemberId.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(200),
});
export const MemberPage = z.object({
  members: z.array(Member).describe('perhaps fewer than asked for, or none, where not all are yours to see'),
  next: MemberId.nullable().describe('`after` of the next page; null: this was the last'),
});

export const AddMember = z.strictObject({
  kind: MemberKind,
  handle: Handle,
  displayName: DisplayName,
  about: About.default(''),
  role: Role.default('member'),
  ownerId: MemberId.optional().describe('agents only; default: you'),
  managerId: MemberId.optional(),
});

export const EditMember = z.strictObject({
  displayName: DisplayName.optional(),
  about: About.optional(),
  handle: Handle.optional(),
  role: Role.optional(),
  ownerId: MemberId.optional(),
  managerId: MemberId.nullable().optional(),
});
export type EditMember = z.input<typeof EditMember>;

export const SetDnd = z.strictObject({ until: z.int().min(0).nullable() });

// Handles that several members answer to. Access roles are another thing: see `Role` in members.ts.

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

export const EditRole = z.strictObject({
  handle: Handle.optional(),
  about: About.optional(),
  holderIds: holders.optional().describe('all of them, in the place of those there were'),
});
export type EditRole = z.input<typeof EditRole>;
