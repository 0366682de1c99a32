// Files that go with a message.

import { z } from 'zod';
import { AttachmentId } from '../ids.ts';
import { isSeen } from '../people/members.ts';

export const Attachment = z.object({
  id: AttachmentId,
  name: z.string(),
  mediaType: z.string(),
  size: z.number(),
  sha256: z.string(),
  erased: z.boolean(),
});
export type Attachment = z.infer<typeof Attachment>;

export const maxAttachmentBytes = 25 * 1024 * 1024;
export const maxAttachmentsPerMessage = 10;

export const AttachmentName = z
  .string()
  .min(1, 'must not be empty')
  .max(200, 'must be at most 200 characters')
  .regex(/^[^\p{Cc}\p{Cs}/\\\u202A-\u202E\u2066-\u2069]+$/u, 'must be a plain file name')
  .refine(isSeen, 'must not contain invisible characters')
  .refine((name) => name !== '.' && name !== '..', 'must be a plain file name');
