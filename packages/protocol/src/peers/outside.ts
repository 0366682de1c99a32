// Requests to somebody without an agent (A2C-11): the text that the person sends, the link that a hub can serve instead, the answer.

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { FieldName } from '../relay/packet-fields.ts';

export const outsideReplyKinds = ['works', 'other', 'cannot'] as const;
export const requestLinkStates = ['made', 'opened', 'answered', 'revoked', 'expired'] as const;

export const OutsideRequest = z.object({
  name: z.string(),
  text: z.string().nullable().describe('to paste: the request or, once both agreed, what is fixed; null: nothing to send now'),
  hint: z.string().nullable().describe('what the offered times tell about you'),
  times: z.array(z.string()).describe('the offered times in words, in the order of their numbers'),
  reply: z
    .object({ kind: z.enum(outsideReplyKinds), text: z.string(), at: z.number() })
    .nullable()
    .describe('in their words: text, never markup'),
  awaitsReply: z.boolean(),
  link: z
    .object({ id: z.string(), state: z.enum(requestLinkStates), at: z.number().describe('of the state'), expiresAt: z.number() })
    .nullable()
    .describe('where you made one for these times'),
});
export type OutsideRequest = z.infer<typeof OutsideRequest>;

/** Lines of text: nothing in it reorders or hides other text. */
const words = z
  .string()
  .trim()
  .max(500)
  .regex(/^(?:[^\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]|[\n\t])*$/u, 'must be text without control characters');

export const OpenOutside = z.strictObject({
  name: oneLine(80).min(1).describe('of the person to ask, as the text calls them'),
  intent: oneLine(500).min(1),
  share: z
    .array(FieldName)
    .max(20)
    .default([])
    .describe('fields that the text may use, such as `time_windows`; never those you never share'),
});
export type OpenOutside = z.infer<typeof OpenOutside>;

/** What they answered, as the person passes it on: in their words, or as the person understood them. */
export const OutsideAnswer = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('words'), text: words.min(1) }),
  z.strictObject({ kind: z.literal('works'), option: z.int().min(1).max(10), text: words.optional() }),
  z.strictObject({ kind: z.literal('other'), text: words.min(1) }),
  z.strictObject({ kind: z.literal('cannot'), text: words.optional() }),
]);
export type OutsideAnswer = z.infer<typeof OutsideAnswer>;

/** 16 random bytes as base64url. */
const LinkId = z.string().regex(/^[\w-]{22}$/, 'must be the 22 characters of a request link');
export const requestLinkId = z.strictObject({ requestLinkId: LinkId });
/** Made by the page that opens the link, so that it can ask again after an answer that did not reach it. */
const opener = z.string().regex(/^[\w-]{22,64}$/, 'must be 22 to 64 letters of base64url');

export const OpenRequestLink = z.strictObject({ opener });
export const OpenedRequestLink = z.object({
  sealed: z.string().describe('AES-256-GCM under a key that is derived from the one in the link’s fragment'),
  until: z.number().describe('when answers end'),
});
export const AnswerRequestLink = z.strictObject({
  opener,
  sealed: z.string().regex(/^[\w-]{40,6000}$/, 'must be 40 to 6,000 letters of base64url'),
});
export const MadeRequestLink = z.object({
  url: z.string().describe('with the key in its fragment: nobody can read the request without it'),
  expiresAt: z.number(),
});
