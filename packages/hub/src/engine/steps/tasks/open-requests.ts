// A person's requests as tasks: one for an agent, or one for whichever takes it; and the notices where nobody is there to
// begin.

import type { MemberRow, MessageRow, RoleRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { IncomingMessage } from '../conversations/incoming-message.ts';
import { notify } from '../facts/append.ts';
import { agentOf, isHere, type NewTask, openTask } from './tasks.ts';
import { type ComposingWait, windowIn } from '../messages/composing-windows.ts';

/** A message that asks for work, and what the task may do. */
export interface MessageRequest extends Pick<NewTask, 'outputs' | 'within' | 'after'> {
  incoming: Pick<IncomingMessage, 'conversation' | 'home' | 'author' | 'urgent' | 'piece'>;
  message: MessageRow;
}
export type AddressedRequest = MessageRequest & Pick<NewTask, 'addressedBy' | 'mode'>;

/** A task for one agent; if it is away, its requester and its owner get a notice. */
export function openFor(agent: MemberRow, request: AddressedRequest, tx: Tx): TaskRow {
  const { incoming, message, ...options } = request;
  const { conversation, home, author } = incoming;
  const here = isHere(agentOf(agent.id, tx));
  // An urgent message, an older one, and one of an agent are complete.
  const writing = author.kind === 'human' && options.mode === 'buffered' && options.addressedBy !== 'assigned';
  const window = writing ? composingIn(incoming, tx) : undefined;
  const origin = { requesterId: author.id, conversation, home, messageId: message.id };
  const task = openTask({ agentId: agent.id, ...origin, here, window, ...options }, tx);
  if (here) return task;
  const about = { conversation: conversation.id, message: message.id, task: task.id, agent: agent.id };
  notify(author.id, home.id, { kind: 'agent_offline', ...about }, tx, task.chain_id);
  if (agent.owner_id === null || agent.owner_id === author.id) return task;
  // The owner may have no part in this conversation: they learn that the agent is wanted, not where.
  const joined = tx.get('memberships', home.id, agent.owner_id);
  const noticePlace = joined ? about : { conversation: '', agent: agent.id };
  notify(agent.owner_id, home.id, { kind: 'owner_agent_offline', ...noticePlace }, tx, task.chain_id);
  return task;
}

/** One task for the agent that claims it first. `here` means that an agent that could claim it is present. */
export const openForAny = (request: MessageRequest, here: boolean, tx: Tx): TaskRow =>
  openToAll({ ...request, addressedBy: 'any_agent', mode: request.incoming.urgent ? 'immediate' : 'buffered' }, here, tx);

/** One task for the holder of the role who claims it first. All holders are knocked; only the claimant gets the words. */
export function openForRole(role: RoleRow, request: MessageRequest, here: boolean, tx: Tx): TaskRow {
  const task = openToAll({ ...request, addressedBy: 'role', mode: 'notify' }, here, tx);
  tx.insert('task_roles', { task_id: task.id, role_id: role.id });
  return task;
}

function openToAll({ incoming, message, ...options }: AddressedRequest, here: boolean, tx: Tx): TaskRow {
  const { conversation, home, author } = incoming;
  const window = author.kind === 'human' && !incoming.urgent ? composingIn(incoming, tx) : undefined;
  const origin = { requesterId: author.id, conversation, home, messageId: message.id };
  const task = openTask({ agentId: null, ...origin, here, window, ...options }, tx);
  if (here || options.within) return task;
  const about = { conversation: conversation.id, message: message.id, task: task.id };
  notify(author.id, home.id, { kind: 'nobody_available', ...about }, tx, task.chain_id);
  return task;
}

function composingIn({ home, piece = 'finished' }: Pick<IncomingMessage, 'home' | 'piece'>, tx: Tx): ComposingWait | undefined {
  const limits = windowIn(home, tx);
  return limits && { limits, piece };
}
