// Whom a text addresses, and who would be woken by a message, asked from the shell: the parser and the decision of `packages/core`,
// with nothing around them.

import type { CommandContext } from '../settings.ts';
import { addressesIn, directoryOf, preview } from '@parley/core';
import { ConversationKind, Floor, foldHandle, Handle, MemberKind } from '@parley/protocol';
import { z } from 'zod';
import { answerLines } from '../json-lines.ts';

/** People, agents and roles share one namespace, whatever the case. */
function distinct(members: readonly { handle: string }[]): boolean {
  return new Set(members.map(({ handle }) => handle.toLowerCase())).size === members.length;
}
const sharedHandle = { path: ['members'], message: 'has two members with one handle' };

const AddressMember = z.object({
  handle: Handle,
  kind: z.enum([...MemberKind.options, 'role']),
  roles: z.array(Handle).optional(),
});

const AddressQuestion = z
  .object({ text: z.string(), members: z.array(AddressMember) })
  .refine(({ members }) => distinct(members), sharedHandle);

export const address = ({ output }: CommandContext): Promise<void> =>
  answerLines(AddressQuestion, ({ text, members }) => ({ addresses: addressesIn(text, directoryOf(members)) }), output);

/** What a room knows of an agent besides its name; all of it may be left out. */
const DecideMember = AddressMember.extend({
  left: z.boolean().optional(),
  blocks: z.boolean().optional(),
  continuing: z.enum(['asked', 'reply', 'other_reply', 'requester', 'asker', 'fragment']).optional(),
  inThread: z.enum(['alone', 'among']).optional(),
  assigned: z.boolean().optional(),
});

const DecideQuestion = z.object({
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

export const decide = ({ output }: CommandContext): Promise<void> =>
  answerLines(
    DecideQuestion,
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
