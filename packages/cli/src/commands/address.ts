// Whom a text addresses, asked from the shell: the parser of `packages/core`, with nothing around it.

import { addressesIn, directoryOf } from '@parley/core';
import { Handle, MemberKind } from '@parley/protocol';
import { z } from 'zod';
import { answerLines } from '../json-lines.ts';
import type { Output } from '../output.ts';

/** People, agents and roles share one namespace, whatever the case. */
export function distinct(members: readonly { handle: string }[]): boolean {
  return new Set(members.map(({ handle }) => handle.toLowerCase())).size === members.length;
}
export const sharedHandle = { path: ['members'], message: 'has two members with one handle' };

export const AddressMember = z.object({
  handle: Handle,
  kind: z.enum([...MemberKind.options, 'role']),
  roles: z.array(Handle).optional(),
});

const Question = z.object({ text: z.string(), members: z.array(AddressMember) }).refine(({ members }) => distinct(members), sharedHandle);

export const address = (output: Output): Promise<void> =>
  answerLines(Question, ({ text, members }) => ({ addresses: addressesIn(text, directoryOf(members)) }), output);
