import { z } from 'zod';
import { MemberId, TokenId } from '../ids.ts';
import { Slug } from '../provoke/triggers.ts';
import { DisplayName } from './members.ts';

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
export type CreateToken = z.input<typeof CreateToken>;

/** `secret` is shown once; the hub keeps only its hash. */
export const CreatedToken = z.object({ token: Token, secret: z.string() });
export type CreatedToken = z.infer<typeof CreatedToken>;
