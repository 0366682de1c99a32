// A negotiation has ended: the platform says so where it was asked for, and the task that waits resumes. Of the words of the
// negotiation only the outcome is posted, which both people confirmed for that audience.

import { isOpen, negotiationTexts } from '@parley/core';
import { verdictData } from '../../../store/fact-data.ts';
import type { MessageRow, NegotiationRow, TaskRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import { placeMessage } from '../messages/post-message.ts';
import { goodbyeVerdicts } from '../messages/verdicts.ts';
import { waitsForOthers } from './callbacks.ts';
import { taintTask } from './transitions.ts';
import { gatherTasks, homeOf, moveTask, settleChain } from './tasks.ts';

/** `outcome`: null, there is none for this audience. Safe to repeat: each is posted once. */
export function deliverResult(row: NegotiationRow, outcome: string | null, tx: Tx): void {
  const contact = row.task_id === null ? undefined : tx.get('contacts', row.thread_id);
  if (!contact || contact.state === 'late' || row.outcome === 1) return;
  const isFirst = contact.state === 'pending';
  if (!isFirst && outcome === null) return;
  gatherTasks([tx.get('tasks', contact.parent_id)!], tx);
  const task = tx.get('tasks', contact.parent_id)!;
  // An outcome may come after the end, when its action was carried out again.
  if (isFirst && !isOpen(task.state)) return void tx.update('contacts', contact, { state: 'late' });
  const message = postResult(row, task, outcome, tx);
  if (outcome !== null) tx.update('negotiations', tx.get('negotiations', row.member_id, row.thread_id)!, { outcome: 1 });
  if (!isFirst) return;
  if (outcome !== null) taintTask(task, { kind: 'peer', address: row.thread_id }, tx);
  tx.update('contacts', contact, { state: 'ended', result_id: message.id });
  if (waitsForOthers(task)) moveTask(task, 'resume', {}, tx, { of: row.thread_id });
  settleChain(task.chain_id, tx);
}

function postResult(row: NegotiationRow, task: TaskRow, outcome: string | null, tx: Tx): MessageRow {
  const conversation = tx.get('conversations', task.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const { handle } = tx.get('members', row.member_id)!;
  const message = placeMessage(
    {
      id: tx.ids.next('message'),
      actor: { type: 'platform' },
      conversation,
      home,
      body: outcome ?? negotiationTexts.ended(handle),
      chainId: task.chain_id,
      // The message calls nobody, whatever it holds.
      data: { task: task.id, result: row.thread_id, ...verdictData(goodbyeVerdicts(task.agent_id!, { home }, tx)) },
    },
    tx,
  );
  tx.insert('message_sources', { message_id: message.id, source: 'delegation_result' });
  return message;
}
