// A person's requests as tasks: one for an agent, or one for whichever takes it; and the notices where nobody is there to
// begin.

import type { MemberRow, MessageRow, RoleRow, TaskRow } from '../../../store/tables.ts';
import type { Context } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import type { IncomingMessage } from '../rooms/incoming-message.ts';
import { notify } from '../facts/notices.ts';
import { agentOf, isHere, type NewTask, openTask } from './tasks.ts';
import { type ComposingWait, windowIn } from '../messages/composing-windows.ts';

/** A task for one agent; if it is away, its requester and its owner get a notice. */
export function openFor(
  agent: MemberRow,
  addressedBy: TaskRow['addressed_by'],
  mode: TaskRow['mode'],
  heard: Pick<IncomingMessage, 'conversation' | 'home' | 'author' | 'urgent' | 'piece'>,
  message: MessageRow,
  given: Pick<NewTask, 'outputs' | 'within' | 'after'>,
  set: WorkingSet,
  context: Context,
): TaskRow {
  const { conversation, home } = heard;
  const here = isHere(agentOf(agent.id, set));
  // What is urgent, what was written before, and what an agent says, is whole.
  const writing = heard.author.kind === 'human' && mode === 'buffered' && addressedBy !== 'assigned';
  const window = writing ? composingIn(heard, set, context) : undefined;
  const asked = { requesterId: heard.author.id, conversation, home, messageId: message.id, addressedBy, mode };
  const task = openTask({ agentId: agent.id, ...asked, here, window, ...given }, set, context);
  if (here) return task;
  const about = { conversation: heard.conversation.id, message: message.id, task: task.id, agent: agent.id };
  notify(heard.author.id, heard.home.id, { kind: 'agent_offline', ...about }, set, context, task.chain_id);
  // Its owner may have no part in this conversation: they learn that it is wanted, not where.
  if (agent.owner_id !== null && agent.owner_id !== heard.author.id) {
    const joined = set.get('memberships', heard.home.id, agent.owner_id);
    notify(
      agent.owner_id,
      heard.home.id,
      joined ? { kind: 'owner_agent_offline', ...about } : { kind: 'owner_agent_offline', conversation: '', agent: agent.id },
      set,
      context,
      task.chain_id,
    );
  }
  return task;
}

/** One task for whichever agent takes it first; `here`: somebody is there who could. */
export function openForAny(
  heard: IncomingMessage,
  message: MessageRow,
  here: boolean,
  outputs: string[],
  set: WorkingSet,
  context: Context,
): void {
  openForWhoever(
    { addressedBy: 'any_agent', mode: heard.urgent ? 'immediate' : 'buffered' },
    heard,
    message,
    here,
    { outputs },
    set,
    context,
  );
}

/** One task for whichever holder of the role takes it; they are knocked, and only who takes it is given the words. */
export function openForRole(
  role: RoleRow,
  heard: Pick<IncomingMessage, 'conversation' | 'home' | 'author' | 'urgent' | 'piece'>,
  message: MessageRow,
  here: boolean,
  given: Pick<NewTask, 'outputs' | 'within'>,
  set: WorkingSet,
  context: Context,
): TaskRow {
  const task = openForWhoever({ addressedBy: 'role', mode: 'notify' }, heard, message, here, given, set, context);
  set.insert('task_roles', { task_id: task.id, role_id: role.id });
  return task;
}

function openForWhoever(
  how: Pick<NewTask, 'addressedBy' | 'mode'>,
  heard: Pick<IncomingMessage, 'conversation' | 'home' | 'author' | 'urgent' | 'piece'>,
  message: MessageRow,
  here: boolean,
  given: Pick<NewTask, 'outputs' | 'within'>,
  set: WorkingSet,
  context: Context,
): TaskRow {
  const { conversation, home } = heard;
  const window = heard.author.kind === 'human' && !heard.urgent ? composingIn(heard, set, context) : undefined;
  const task = openTask(
    { agentId: null, requesterId: heard.author.id, conversation, home, messageId: message.id, here, window, ...how, ...given },
    set,
    context,
  );
  if (here || given.within) return task;
  notify(
    heard.author.id,
    heard.home.id,
    { kind: 'nobody_available', conversation: heard.conversation.id, message: message.id, task: task.id },
    set,
    context,
    task.chain_id,
  );
  return task;
}

function composingIn(
  { home, piece = 'finished' }: Pick<IncomingMessage, 'home' | 'piece'>,
  set: WorkingSet,
  context: Context,
): ComposingWait | undefined {
  const limits = windowIn(home, set, context);
  return limits && { limits, piece };
}
