// Reports of the service of the peers: a peer was made, the state of a negotiation, the open prompts, calls of the hub's model.
// Each report of a state is safe to repeat.

import { isPeerPrompt, type Amount } from '@parley/core';
import { type NegotiationStatus, ParleyError, type PromptKind } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { CheckpointRow, MemberRow, NegotiationRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem, type Tx } from '../../command.ts';
import { append } from '../../steps/facts/append.ts';
import { close, dataOf, inboxLock, openCheckpoint, promptAnswered } from '../../steps/facts/checkpoints.ts';
import { addEffect } from '../../outbox.ts';
import { type HubState, negotiationFact, peerLock } from '../../steps/people/peers.ts';
import { deliverResult } from '../../steps/tasks/pending-work.ts';
import { joinTask } from '../../steps/tasks/negotiations.ts';
import type { WorkingSet } from '../../working-set.ts';
import { reserveModel, settleModel } from '../../steps/budget/budget-accounts.ts';

interface OpenPrompt {
  id: string;
  kind: PromptKind;
}

export interface PeerCommands {
  'peer.record': [{ memberId: string; address: string }, void];
  'peer.prompts': [{ memberId: string; prompts: readonly OpenPrompt[] }, void];
  'peer.tool': [{ memberId: string; server: string; tool: string }, void];
  'negotiation.record': [{ memberId: string; status: NegotiationStatus }, void];
  /** The service could not open it, or does not know it. `isReported`: the caller that waits gets the error itself. */
  'negotiation.fail': [{ memberId: string; threadId: string; isReported: boolean }, void];
  /** `at`: of the day on which the question began. Answers with it. */
  'peer.reserve_model': [{ memberId: string; amount: Amount; at?: number }, { at: number }];
  'peer.settle_model': [{ memberId: string; at: number; reserved: number; spent: number }, void];
}

const memberOf = (id: string) => wantRow('members', id);

const record: Handler<'peer.record'> = {
  locks: (c) => [peerLock(c.memberId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    // The peer was made in the moment in which its person was erased.
    if (member?.status === 'erased') addEffect('peer.erase', { memberId: member.id, address: c.address }, tx);
    if (member?.kind !== 'human' || member.status === 'erased') return;
    const before = tx.get('peers', member.id);
    if (before?.address === c.address) return;
    if (before) tx.update('peers', before, { address: c.address });
    else tx.insert('peers', { member_id: member.id, address: c.address, made_at: tx.now });
    append(tx, { type: 'peer.made', member_id: member.id, subject_id: member.id });
  },
};

const callTool: Handler<'peer.tool'> = {
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    if (!activePerson(c.memberId, tx)) throw new ParleyError('not_found');
    const { server, tool } = c;
    append(tx, { type: 'peer.tool_called', member_id: c.memberId, subject_id: server, data: { server, tool } });
  },
};

/** A person who left has nothing to ask, and gets no notices. */
function activePerson(memberId: string, set: WorkingSet): MemberRow | undefined {
  const member = set.get('members', memberId);
  return member?.kind === 'human' && member.status === 'active' ? member : undefined;
}

const prompts: Handler<'peer.prompts'> = {
  locks: (c) => [peerLock(c.memberId), inboxLock(c.memberId)],
  needs: (c) => [memberOf(c.memberId), wantBy('checkpoints', 'member', c.memberId, 1)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    if (activePerson(c.memberId, tx)) keepPrompts(c.memberId, undefined, c.prompts, tx);
  },
};

const recordNegotiation: Handler<'negotiation.record'> = {
  locks: (c) => [peerLock(c.memberId), inboxLock(c.memberId)],
  needs: (c) => [
    memberOf(c.memberId),
    wantRow('negotiations', c.memberId, c.status.threadId),
    wantRow('contacts', c.status.threadId),
    ...(c.status.parentThreadId === null
      ? []
      : [wantRow('negotiations', c.memberId, c.status.parentThreadId), wantRow('contacts', c.status.parentThreadId)]),
    wantBy('checkpoints', 'member', c.memberId, 1),
  ],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    if (!activePerson(c.memberId, tx)) return;
    const row = keepState(c.memberId, c.status, tx);
    keepPrompts(c.memberId, row, c.status.prompts, tx);
    if (c.status.isEnded || c.status.outcome !== null) deliverResult(row, c.status.outcome, tx);
  },
};

/** A word of the state machine, and nothing that somebody wrote. */
const stateWord = (state: string): string => (/^[A-Z_]{1,32}$/.test(state) ? state : 'UNKNOWN');

function keepState(memberId: string, status: NegotiationStatus, tx: Tx): NegotiationRow {
  const before = tx.get('negotiations', memberId, status.threadId);
  const [state, open] = [stateWord(status.state), status.isEnded ? 0 : 1];
  if (before?.state === state && before.open === open) return before;
  const row = before
    ? tx.update('negotiations', before, { state, open, updated_at: tx.now })
    : newNegotiation(memberId, status.threadId, { state, open, ...taskOfParent(memberId, status, tx) }, tx);
  if (!before && row.task_id !== null) joinTask(row.task_id, status.threadId, tx);
  negotiationFact(row, tx);
  return row;
}

/** A fork belongs to the task of its parent, unless that was stopped. */
function taskOfParent(
  memberId: string,
  { parentThreadId }: NegotiationStatus,
  set: WorkingSet,
): Partial<Pick<NegotiationRow, 'task_id' | 'chain_id'>> {
  const parent = parentThreadId === null ? undefined : set.get('negotiations', memberId, parentThreadId);
  const contact = parent?.task_id ? set.get('contacts', parent.thread_id) : undefined;
  return parent && contact && contact.state !== 'late' ? { task_id: parent.task_id, chain_id: parent.chain_id } : {};
}

export function newNegotiation(
  memberId: string,
  threadId: string,
  change: Pick<NegotiationRow, 'state' | 'open'> & Partial<Pick<NegotiationRow, 'task_id' | 'chain_id'>>,
  tx: Tx,
): NegotiationRow {
  const row: NegotiationRow = {
    member_id: memberId,
    thread_id: threadId,
    task_id: null,
    chain_id: null,
    outcome: 0,
    created_at: tx.now,
    updated_at: tx.now,
    ...change,
  };
  tx.insert('negotiations', row);
  append(tx, { type: 'negotiation.opened', member_id: memberId, subject_id: threadId, chain_id: row.chain_id });
  return row;
}

/** Opens and closes checkpoints until they are the prompts that are open. `of`: undefined, those of no negotiation. */
function keepPrompts(memberId: string, of: NegotiationRow | undefined, prompts: readonly OpenPrompt[], tx: Tx): void {
  const ownRows = tx
    .find('checkpoints', 'member', memberId, 1)
    .filter((row) => isPeerPrompt(row.kind) && dataOf(row).thread === of?.thread_id);
  for (const row of ownRows) if (!prompts.some(({ id }) => id === row.subject_id)) close(row, null, null, tx);
  const place = of ? placeOf(of, tx) : {};
  for (const { id, kind } of prompts) {
    if (!isPeerPrompt(kind) || !/^[\w.:-]{1,128}$/.test(id))
      throw new ParleyError('invalid_request', 'The service reported a prompt of no known kind.');
    const isKnown = (row: CheckpointRow) => row.member_id === memberId && (row.open === 1 || row.choice === promptAnswered);
    if (tx.find('checkpoints', 'subject', id).some(isKnown)) continue;
    openCheckpoint({ kind, for: memberId, subjectId: id, data: of ? { thread: of.thread_id } : {}, ...place }, tx);
  }
}

/** The request, where a task opened it. */
function placeOf({ task_id, chain_id }: NegotiationRow, set: WorkingSet) {
  const task = task_id === null ? undefined : set.get('tasks', task_id);
  return task && chain_id !== null ? { conversationId: task.conversation_id, messageId: task.message_id, chainId: chain_id } : {};
}

const fail: Handler<'negotiation.fail'> = {
  locks: (c) => [peerLock(c.memberId)],
  needs: (c) => [memberOf(c.memberId), wantRow('negotiations', c.memberId, c.threadId), wantRow('contacts', c.threadId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = tx.get('negotiations', c.memberId, c.threadId);
    if (row?.state !== ('OPENING' satisfies HubState)) return;
    const state = 'FAILED' satisfies HubState;
    const failed = tx.update('negotiations', row, { state, open: 0, updated_at: tx.now });
    negotiationFact(failed, tx);
    const contact = tx.get('contacts', c.threadId);
    if (c.isReported && contact) tx.update('contacts', contact, { state: 'late' });
    deliverResult(failed, null, tx);
  },
};

/** The budget of a person's peer at the hub's model: reserved before a question, settled after it. */
const reserve: Handler<'peer.reserve_model'> = {
  needs: (c) => [wantRow('members', c.memberId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    if (member?.kind !== 'human' || member.status !== 'active') throw new ParleyError('not_found');
    const { at = tx.now } = c;
    const exhausted = reserveModel(member, c.amount, at, tx);
    if (exhausted) throw new ParleyError('budget_exhausted', undefined, { reason: exhausted });
    return { at };
  },
};

const settle: Handler<'peer.settle_model'> = {
  needs: (c) => [wantRow('members', c.memberId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    // A reservation of somebody who was erased stays until the day ends.
    if (member) settleModel(member, c.at, c.reserved, c.spent, tx);
  },
};

export const peerHandlers = {
  'peer.record': record,
  'peer.prompts': prompts,
  'peer.tool': callTool,
  'negotiation.record': recordNegotiation,
  'negotiation.fail': fail,
  'peer.reserve_model': reserve,
  'peer.settle_model': settle,
};
