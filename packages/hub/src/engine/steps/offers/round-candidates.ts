// The candidates of an offer round: every agent in the room, with its relation to the message. Core decides whose turn it
// is.

import type { RoundCandidate } from '@parley/core';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { OfferRow, RoundRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';
import { blockersOf } from '../people/contact-rules.ts';
import { leaveRequestsIn, leftWants, threadParticipants, participantWants } from '../conversations/participants.ts';
import { agentLock } from '../facts/append.ts';
import { liesBefore } from '../facts/conversation-access.ts';
import { agentsOf } from '../conversations/addressable-members.ts';
import { homesOf } from '../tasks/chains.ts';
import { agentOf, homeOf, isAsleep, isHere } from '../tasks/tasks.ts';
import { runningTime, runningWants } from '../facts/timers.ts';

export const offersOf = (round: RoundRow, set: WorkingSet): OfferRow[] => set.find('offers', 'message', round.message_id);

/** Every agent in the room. An agent that came later is not asked about it. */
export function candidates(round: RoundRow, tx: Tx): RoundCandidate[] {
  gatherCandidates([round], tx);
  const conversation = tx.get('conversations', round.conversation_id)!;
  const home = homeOf(conversation.id, tx);
  const { seq, author_id } = tx.get('messages', round.message_id)!;
  const blockers = blockersOf([author_id], tx);
  const offers = new Map(offersOf(round, tx).map((offer) => [offer.agent_id, offer]));
  const inThread = threadParticipants(conversation, home, tx);
  const now = runningTime(tx);
  return agentsOf([home], tx)
    .get(home.id)!
    .map((id) => {
      const offer = offers.get(id);
      const wasAsked = offer?.state === 'withdrawn' && offer.until !== null && offer.until > now;
      return {
        id,
        handle: tx.get('members', id)!.handle,
        active: true,
        here: isHere(agentOf(id, tx)),
        asleep: isAsleep(agentOf(id, tx), tx.now),
        member: true,
        askedToLeave: leaveRequestsIn(conversation, tx).has(id),
        blocks: blockers.has(id),
        before: liesBefore(seq, tx.get('memberships', home.id, id)!.joined_seq),
        calledByName: false,
        letGo: offer !== undefined && offer.state !== 'open' && !wasAsked,
        wasAsked,
        inThread: inThread.has(id),
        busy: tx.find('tasks', 'agent', id, 1).length,
      };
    });
}

/** Handles several rounds at once, in any number of conversations. */
export function gatherCandidates(rounds: readonly RoundRow[], tx: Tx): void {
  if (rounds.length === 0) return;
  const present = agentsOf(new Set(homesOf(rounds, tx)), tx);
  const places = new Set(rounds.map((round) => tx.get('conversations', round.conversation_id)!));
  const ids = [...new Set([...present.values()].flat())];
  tx.lock(...ids.map(agentLock));
  tx.need([
    ...runningWants,
    ...[...places].flatMap((place) => [...leftWants(place), ...participantWants(place)]),
    ...ids.flatMap((id) => [wantRow('agents', id), wantBy('tasks', 'agent', id, 1)]),
    ...[...present].flatMap(([homeId, here]) => here.map((id) => wantRow('memberships', homeId, id))),
  ]);
}
