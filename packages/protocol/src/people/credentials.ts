import { z } from 'zod';
import { MemberId, TokenId, ConversationId, LinkId } from '../ids.ts';
import { Slug } from '../provoke/triggers.ts';
import { DisplayName, Handle, Member, Role } from './members.ts';

export const TokenKind = z.enum(['person', 'agent', 'source', 'bridge']);
export type TokenKind = z.infer<typeof TokenKind>;

export const Token = z.object({
  id: TokenId,
  kind: TokenKind,
  purpose: z.enum(['api', 'session']),
  memberId: MemberId.describe('the member it acts as; for source and bridge tokens, the one who answers for it'),
  label: z.string(),
  current: z.boolean().describe('this request was made with it'),
  openedBy: MemberId.nullable().describe('another member, whose sign-in link opened this session or the one that made this token'),
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
});
export type Token = z.infer<typeof Token>;

export const CreateToken = z.strictObject({
  kind: TokenKind,
  memberId: MemberId.optional().describe('you, when left out'),
  label: DisplayName.describe('a label, to tell it from others'),
  expiresInSeconds: z.int().min(60, 'must be at least 60').max(315_360_000, 'must be at most ten years').optional(),
  source: Slug.optional().describe('of a source token: the source it speaks for; without one it may emit nothing'),
});

/** `secret` is shown once; the hub keeps only its hash. */
export const CreatedToken = z.object({ token: Token, secret: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;

// One-time links: invitations and sign-in links, and the sessions they open.

export const CreateInvitation = z.strictObject({
  role: Role.exclude(['owner']).default('member'),
  conversationId: ConversationId.optional().describe('a channel the newcomer joins at once'),
  expiresInSeconds: z.int().min(60, 'must be at least 60').max(2_592_000, 'must be at most 30 days').default(604_800),
});

export const CreateSignInLink = z.strictObject({
  memberId: MemberId.optional().describe('default: you; for the operator, the owner or the first owner to be'),
  role: Role.exclude(['guest'])
    .optional()
    .describe('a higher access role, which takes effect when the person opens the link; every other session, token and link ends then'),
});

export const CreatedLink = z.object({
  id: LinkId,
  secret: z.string(),
  url: z.string().describe('opens the page; the secret is in the fragment, which browsers never send'),
  expiresAt: z.number(),
});
export type CreatedLink = z.infer<typeof CreatedLink>;

export const Invitation = z.object({
  id: LinkId,
  role: Role,
  conversationId: ConversationId.nullable(),
  createdBy: MemberId.nullable(),
  expiresAt: z.number(),
});
export type Invitation = z.infer<typeof Invitation>;

export const InspectLink = z.strictObject({ secret: z.string().min(1).max(200) });
export const LinkPreview = z.object({
  purpose: z.enum(['sign_in', 'invite']),
  workspace: z.string(),
  role: Role.nullable().describe('of an invitation: what the newcomer is; of a sign-in link: what opening it makes the person'),
  account: z.object({ displayName: z.string(), handle: z.string() }).nullable().describe('of a sign-in link: whom it signs in as'),
  invitedBy: z.string().nullable().describe('display name'),
  channel: z.string().nullable(),
  signedInAs: z.string().nullable().describe('display name of another member who is signed in there, and would be replaced'),
});
export type LinkPreview = z.infer<typeof LinkPreview>;

/** An invitation takes a handle and a name; a sign-in link takes neither. */
export const OpenSession = z.strictObject({
  secret: z.string().min(1).max(200),
  handle: Handle.optional(),
  displayName: DisplayName.optional(),
});

export const EndedSessions = z.object({ ended: z.number().int().describe('how many sessions and tokens') });

export const Session = z.object({
  me: Member,
  tokenKind: TokenKind,
  openedBy: MemberId.nullable().describe('another member, whose sign-in link opened this session or the one that made this token'),
  workspace: z.object({ name: z.string() }),
  cursor: z.string().describe('where the stream stands; subscribe from here and nothing is missed'),
});
export type Session = z.infer<typeof Session>;
