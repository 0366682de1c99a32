// Who would be woken by a message, asked from the shell: the decision of `packages/core`, with nothing around it.

import { preview } from '@parley/core';
import { ConversationKind, Floor, foldHandle } from '@parley/protocol';
import { z } from 'zod';
import { answerLines } from '../json-lines.ts';
import type { Output } from '../output.ts';
import { AddressMember, distinct, sharedHandle } from './address.ts';

/** What a room knows of an agent besides its name; all of it may be left out. */
const DecideMember = AddressMember.extend({
  left: z.boolean().optional(),
  blocks: z.boolean().optional(),
  continuing: z.enum(['asked', 'reply', 'other_reply', 'requester', 'asker', 'fragment']).optional(),
  inThread: z.enum(['alone', 'among']).optional(),
  assigned: z.boolean().optional(),
});

const Question = z.object({
  conversation: z
    .object({ kind: ConversationKind, floor: Floor.default('polite'), members: z.array(DecideMember) })
    .refine(({ members }) => distinct(members), sharedHandle),
  author: z.string().min(1, 'must not be empty'),
  content: z.string(),
  attachments: z.int().min(0).default(0),
  urgent: z.boolean().default(false),
  notification: z.boolean().default(false),
  path: z.array(z.string()).default([]),
  final: z.boolean().default(false),
});

export const decide = (output: Output): Promise<void> =>
  answerLines(
    Question,
    ({ conversation, author, content, attachments, urgent, notification, path, final }) => {
      const byHandle = new Map(conversation.members.map((member) => [member.handle, member]));
      const { verdicts } = preview(conversation, author, content, {
        attachments,
        standing: (handle) => {
          const { left = false, blocks = false, assigned = false, continuing, inThread } = byHandle.get(handle)!;
          return { left, blocks, assigned, continuing, inThread };
        },
        about: { urgent, notification, path: path.map(foldHandle), final },
      });
      return { verdicts: Object.fromEntries(verdicts) };
    },
    output,
  );
