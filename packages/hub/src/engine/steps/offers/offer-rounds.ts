// Offer rounds on an open floor (C2A-15), as rows: begun when the author has stopped writing, with one agent at a time,
// sent on when that agent lets it go, and over when an agent has claimed it or nobody is left. `core` decides whose turn it
// is.

import { isComplete, keepOpen, mayTake, nextInRound, openWindow, type Fragment, type WindowLimits } from '@parley/core';
import { type Want, wantBy, wantRow } from '../../../store/port.ts';
import type { OfferRow, RoundRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import type { IncomingMessage } from '../conversations/incoming-message.ts';
import { notify, append } from '../facts/append.ts';
import { threadParticipants } from '../conversations/participants.ts';
import { conversationLock } from '../facts/conversation-access.ts';
import { candidates, gatherCandidates, offersOf } from './round-candidates.ts';
import { homeOf, homesOf } from '../tasks/chains.ts';
import { runningTime, runningWants, setTimer } from '../facts/timers.ts';
import { composeWants, windowIn } from '../messages/composing-windows.ts';

const readyTimer = 'round.ready';
const expiryTimer = 'round.lapse';

/** A message to nobody by name. The message joins the round that its author has begun a moment ago, if there is one. */
export function sendRound(incoming: IncomingMessage, messageId: string, asks: boolean, tx: Tx): void {
  const { conversation, home, author } = incoming;
  tx.need([...runningWants, ...composeWants(home.id), wantBy('rounds', 'author', author.id, 1)]);
  // An urgent message is complete, and so is the one it continues.
  const limits = incoming.urgent ? undefined : windowIn(home, tx);
  const writing = tx
    .find('rounds', 'author', author.id, 1)
    .find((round) => round.conversation_id === conversation.id && round.ready_at !== null);
  const piece = incoming.piece ?? (isComplete(incoming.body, [], writing !== undefined) ? 'finished' : 'unfinished');
  const window = limits && piece !== 'done' ? openWindow(tx.now, limits, piece) : undefined;
  const row: RoundRow = {
    message_id: messageId,
    first_id: writing?.message_id ?? messageId,
    conversation_id: conversation.id,
    author_id: author.id,
    asks: Number(asks),
    since: tx.now,
    ready_at: writing ? null : (window?.readyAt ?? null),
    open: writing ? 0 : 1,
  };
  tx.insert('rounds', row);
  if (writing) keepRound(writing, limits ? piece : 'done', limits ?? tx.limits.window, tx);
  else if (window) setTimer(readyTimer, messageId, 'wall', window.readyAt, tx, true);
  else goOn(row, tx);
}

export function keepRound(round: RoundRow, by: Fragment | 'typing', limits: WindowLimits, tx: Tx): void {
  if (round.ready_at === null) return;
  const { readyAt } = keepOpen({ since: round.since, readyAt: round.ready_at }, by, tx.now, limits);
  if (readyAt === round.ready_at) return;
  tx.update('rounds', round, { ready_at: readyAt });
  setTimer(readyTimer, round.message_id, 'wall', readyAt, tx);
}

/** The author has stopped writing. */
export function beginRound(messageId: string, tx: Tx): void {
  const round = openRound(messageId, tx);
  if (round && round.ready_at !== null) goOn(tx.update('rounds', round, { ready_at: null }), tx);
}

/** The asked agent has let its time pass; where nobody was asked, nobody came. */
export function expireOffer(messageId: string, tx: Tx): void {
  const round = openRound(messageId, tx);
  if (!round || round.ready_at !== null) return;
  const offer = openOffer(round, tx);
  if (!offer) return endRound(round, 'nobody', tx);
  tx.update('offers', offer, { state: 'expired', until: null });
  goOn(round, tx);
}

function openRound(messageId: string, tx: Tx): RoundRow | undefined {
  const round = tx.get('rounds', messageId);
  if (round?.open !== 1) return undefined;
  tx.lock(conversationLock(round.conversation_id));
  return round;
}

const openOffer = (round: RoundRow, set: WorkingSet): OfferRow | undefined => offersOf(round, set).find(({ state }) => state === 'open');

/** The next is asked, somebody is waited for, or it is over. */
export function goOn(round: RoundRow, tx: Tx): void {
  if (!isStillOpen(round, tx)) return endRound(round, 'stopped', tx);
  const askedAgents = offersOf(round, tx).length;
  const next = nextInRound(candidates(round, tx), { authorId: round.author_id, askedAgents });
  if (next === 'end') endRound(round, 'nobody', tx);
  else if (next !== 'wait') ask(round, next.ask, tx);
  else if (tx.find('timers', 'subject', expiryTimer, round.message_id).length === 0)
    setExpiry(round, runningTime(tx) + tx.limits.offerMs, tx);
}

const setExpiry = (round: RoundRow, at: number | null, tx: Tx): void => setTimer(expiryTimer, round.message_id, 'running', at, tx);

/** A round whose claim was given back may be too late for other agents, or its message is somebody's work by now. */
function isStillOpen(round: RoundRow, set: WorkingSet): boolean {
  const { message_id, conversation_id, author_id } = round;
  set.need(standingWants(round, set));
  if (set.find('tasks', 'message', message_id).some(({ addressed_by: by }) => by === 'assigned')) return false;
  const home = homeOf(conversation_id, set);
  const isIn = set.get('memberships', home.id, author_id) !== undefined && set.get('members', author_id)?.status === 'active';
  return isIn && set.get('messages', message_id)?.deleted_at === null && home.floor === 'open' && home.archived_at === null;
}

const standingWants = ({ message_id, conversation_id, author_id }: RoundRow, set: WorkingSet): Want[] => [
  wantRow('messages', message_id),
  wantRow('members', author_id),
  wantRow('memberships', homeOf(conversation_id, set).id, author_id),
  wantBy('tasks', 'message', message_id),
];

/** An agent that was asked and went keeps the rest of its time: a line that breaks and comes back makes no round longer. */
function ask(round: RoundRow, agentId: string, tx: Tx): void {
  const offers = offersOf(round, tx);
  const before = offers.find((offer) => offer.agent_id === agentId);
  const until = before?.until ?? runningTime(tx) + tx.limits.offerMs;
  const n = before?.n ?? offers.length + 1;
  if (before) tx.update('offers', before, { state: 'open', task_id: null });
  else tx.insert('offers', { message_id: round.message_id, agent_id: agentId, n, state: 'open', until, task_id: null });
  setExpiry(round, until, tx);
  append(tx, {
    type: 'round.asked',
    member_id: agentId,
    conversation_id: homeOf(round.conversation_id, tx).id,
    subject_id: round.message_id,
    data: { n, reason: reasonFor(agentId, round, tx) },
  });
}

/** Why it is this agent's to answer, if it likes: as the list has it. */
export function reasonFor(agentId: string, round: RoundRow, set: WorkingSet): 'thread' | 'ambient' {
  const conversation = set.get('conversations', round.conversation_id)!;
  return threadParticipants(conversation, homeOf(conversation.id, set), set).has(agentId) ? 'thread' : 'ambient';
}

/** `stopped`: deleted, edited to say something else, or its place is no longer open. */
export function endRound(round: RoundRow, why: 'nobody' | 'stopped', tx: Tx): void {
  const offer = openOffer(round, tx);
  if (offer) tx.update('offers', offer, { state: 'stopped', until: null });
  setTimer(readyTimer, round.message_id, 'wall', null, tx);
  setExpiry(round, null, tx);
  tx.update('rounds', round, { open: 0, ready_at: null });
  // Talk that nobody takes up ends quietly.
  if (why === 'stopped' || !tx.find('rounds', 'first', round.message_id).some(({ asks }) => asks === 1)) return;
  const about = { kind: 'nobody_took_it', conversation: round.conversation_id, message: round.message_id } as const;
  notify(round.author_id, homeOf(round.conversation_id, tx).id, about, tx);
}

/** Somebody came or went in these rooms, fell asleep or woke: who is asked may be gone, and who is waited for may be there. */
export function settleRounds(homeIds: ReadonlySet<string>, tx: Tx): void {
  const rounds = openIn(homeIds, tx).filter((round) => round.ready_at === null);
  gatherRounds(rounds, tx);
  for (const round of rounds) {
    const offer = openOffer(round, tx);
    const candidate = offer && candidates(round, tx).find(({ id }) => id === offer.agent_id);
    if (candidate && mayTake(candidate, { requesterId: round.author_id, path: [] }).ok) continue;
    if (offer) tx.update('offers', offer, { state: 'withdrawn' });
    goOn(round, tx);
  }
}

function openIn(homeIds: ReadonlySet<string>, set: WorkingSet): RoundRow[] {
  const open = set.find('rounds', 'open', 1);
  const homes = homesOf(open, set);
  return open.filter((_, i) => homeIds.has(homes[i]!.id));
}

/** A channel was archived, or its floor is polite now. */
export const endRoundsIn = (homeId: string, tx: Tx): void => endAll(openIn(new Set([homeId]), tx), tx);

/** The author has left the conversation, or altogether. */
export function endRoundsOf(authorId: string, homeId: string | undefined, tx: Tx): void {
  const rounds = tx.find('rounds', 'author', authorId, 1);
  const homes = homesOf(rounds, tx);
  const roundsHere = rounds.filter((_, i) => homeId === undefined || homes[i]!.id === homeId);
  endAll(roundsHere, tx);
}

function endAll(rounds: readonly RoundRow[], tx: Tx): void {
  gatherEnding(rounds, tx);
  for (const round of rounds) endRound(round, 'stopped', tx);
}

/** Loads all rows that these rounds need to continue in one round trip, instead of one for each. */
export function gatherRounds(rounds: readonly RoundRow[], tx: Tx): void {
  homesOf(rounds, tx);
  gatherEnding(rounds, tx);
  gatherCandidates(rounds, tx);
}

function gatherEnding(rounds: readonly RoundRow[], tx: Tx): void {
  if (rounds.length === 0) return;
  tx.lock(...rounds.map((round) => conversationLock(round.conversation_id)));
  tx.need([
    ...runningWants,
    ...rounds.flatMap((round) => [
      ...standingWants(round, tx),
      wantBy('offers', 'message', round.message_id),
      wantBy('rounds', 'first', round.message_id),
      ...[readyTimer, expiryTimer].map((kind) => wantBy('timers', 'subject', kind, round.message_id)),
    ]),
  ]);
}

/** The text has changed, or is gone. `asks`: undefined when the message is no longer for any agent. */
export function changeRound(messageId: string, asks: boolean | undefined, tx: Tx): void {
  const round = tx.get('rounds', messageId);
  if (!round) return;
  if (asks !== undefined) tx.update('rounds', round, { asks: Number(asks) });
  else if (round.first_id !== messageId) tx.remove('rounds', round);
  else if (round.open === 1) endRound(round, 'stopped', tx);
}
