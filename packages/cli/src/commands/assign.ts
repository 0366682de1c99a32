import { randomUUID } from 'node:crypto';
import { taskText } from '@parley/core';
import { needsMember, withAccess } from '../hub-access.ts';
import { messageIdOf } from '../message-id.ts';
import { type Output, printable } from '../output.ts';
import type { Settings } from '../settings.ts';
import { findMember } from './members.ts';

export async function assign(
  settings: Settings,
  typed: string,
  handle: string,
  { urgent }: { urgent?: true },
  output: Output,
): Promise<void> {
  needsMember(settings, 'Only members can assign work, and the operator of the hub is not one.');
  const messageId = messageIdOf(typed);
  const { task, agent } = await withAccess(settings, async (access) => {
    const agent = await findMember(access, handle, '^');
    const body = { memberId: agent.id, urgent: urgent === true };
    // The key makes a retry safe: given once, however often it has to be sent.
    const task = await access.call('assignMessage', { params: { messageId }, body }, { idempotencyKey: randomUUID() });
    return { task, agent };
  });
  output.result(task, `Assigned to ^${agent.handle}: ${task.id} (${printable(taskText(task))}).`);
}
