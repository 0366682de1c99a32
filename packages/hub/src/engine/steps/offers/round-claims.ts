// Taking what goes round, passing it on, and giving it back (C2A-15). The claim makes the task: from then on what holds for
// every claim holds for it.

import { claimRefusal, isFromRound } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow, MessageRow, OfferRow, RoundRow, TaskRow } from '../../../store/tables.ts';
import { RecordedRefusal, type Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { conversationLock, liesBefore, messageFor } from '../facts/conversation-access.ts';
import { offersOf } from './round-candidates.ts';
import { endRound, gatherRounds, goOn, reasonFor } from './offer-rounds.ts';
import { homeOf, openTask } from '../tasks/tasks.ts';
import { runningTime, runningWants, setTimer } from '../facts/timers.ts';
import { asActor } from '../tasks/task-access.ts';

interface Asked {
  round: RoundRow;
  offer: OfferRow;
}

/** The message's offer to this agent, when it is the agent's turn. A fragment leads to the whole message. */
export function askedOf(agentId: string, messageId: string, set: WorkingSet): Asked | undefined {
  const round = roundOf(messageId, set);
  if (round?.open !== 1) return undefined;
  const offer = offersOf(round, set).find(({ agent_id, state }) => agent_id === agentId && state === 'open');
  return offer && { round, offer };
}

function roundOf(messageId: string, set: WorkingSet): RoundRow | undefined {
  const row = set.get('rounds', messageId);
  return row && set.get('rounds', row.first_id);
}

/** Refuses, and records, the agent it does not stand with. */
function mustBeAsked(agent: MemberRow, messageId: string, tx: Tx): Asked {
  const message = readable(agent.id, messageId, tx);
  tx.lock(conversationLock(message.conversation_id));
  const claimed = askedOf(agent.id, messageId, tx);
  if (claimed) return claimed;
  const round = roundOf(messageId, tx);
  const isTaken = round !== undefined && offersOf(round, tx).some(({ state }) => state === 'taken');
  const reason = claimRefusal({ composing: (round?.ready_at ?? null) !== null, taken: isTaken }, undefined) ?? 'not_offered';
  const about = { member_id: agent.id, conversation_id: homeOf(message.conversation_id, tx).id, subject_id: messageId };
  throw new RecordedRefusal(reason, { type: 'claim.refused', actor: asActor(agent), ...about, data: { reason } });
}

function readable(agentId: string, messageId: string, set: WorkingSet): MessageRow {
  const message = messageFor(messageId, set);
  const home = homeOf(message.conversation_id, set);
  const joined = set.get('memberships', home.id, agentId);
  if (!joined || (home.history === 'joined' && liesBefore(message.seq, joined.joined_seq))) throw new ParleyError('not_found');
  return message;
}

/** The agent claims the message, with all the fragments it was written in. */
export function takeRound(agent: MemberRow, messageId: string, tx: Tx): TaskRow {
  const { round, offer } = mustBeAsked(agent, messageId, tx);
  tx.need([...runningWants, wantRow('agents', agent.id), wantBy('rounds', 'first', round.message_id)]);
  const conversation = tx.get('conversations', round.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const addressedBy = reasonFor(agent.id, round, tx);
  const request = { requesterId: round.author_id, conversation, home, messageId: round.message_id, addressedBy };
  const task = openTask({ agentId: agent.id, ...request, mode: 'notify', here: true }, tx);
  const until = runningTime(tx) + tx.limits.claimMs;
  setTimer('claim.expire', task.id, 'running', until, tx, true);
  tx.update('offers', offer, { state: 'taken', until, task_id: task.id });
  for (const piece of tx.find('rounds', 'first', round.message_id))
    if (piece.message_id !== round.message_id)
      tx.insert('task_words', { message_id: piece.message_id, task_id: task.id, kind: 'follow_up' });
  endRound(round, 'stopped', tx);
  return task;
}

/** A person gave it to somebody as work: nobody else is asked. */
export function takeAway(messageId: string, tx: Tx): void {
  const round = roundOf(messageId, tx);
  if (round?.open === 1) endRound(round, 'stopped', tx);
}

/** The agent declines, so the next is asked. `unable` means that it would accept but cannot. */
export function passRound(agent: MemberRow, messageId: string, unable: boolean, tx: Tx): void {
  const { round, offer } = mustBeAsked(agent, messageId, tx);
  tx.update('offers', offer, { state: unable ? 'withdrawn' : 'declined', until: null });
  goOn(round, tx);
}

/** Handles several rounds that continue at once. */
export function gatherSent(tasks: readonly TaskRow[], tx: Tx): void {
  tx.need(tasks.flatMap((task) => [wantRow('rounds', task.message_id), wantRow('offers', task.message_id, task.agent_id!)]));
  const rounds = tasks.flatMap((task) => tx.get('rounds', task.message_id) ?? []);
  gatherRounds(rounds, tx);
}

/** The claimer has it no more. */
export function sendOn(task: TaskRow & { agent_id: string }, state: 'declined' | 'expired' | 'withdrawn', tx: Tx): void {
  const round = isFromRound(task.addressed_by) ? tx.get('rounds', task.message_id) : undefined;
  const offer = round && tx.get('offers', task.message_id, task.agent_id);
  if (!round || !offer) return;
  tx.lock(conversationLock(round.conversation_id));
  tx.update('offers', offer, { state, until: state === 'withdrawn' ? offer.until : null });
  goOn(tx.update('rounds', round, { open: 1 }), tx);
}
