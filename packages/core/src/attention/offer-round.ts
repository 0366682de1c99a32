// On an open floor (C2A-15): what a person says to nobody by name goes round. Those who may speak up are asked one after
// the other, three at most and never two at once; whoever claims it gets a task, and nobody has one before that.

import type { MemberKind, Policy } from '@parley/protocol';
import { mayTake, type Taker } from './offer.ts';

/** So many agents are asked in all. */
export const mostAsked = 3;

/**
 * Agents' own words start no round, or two of them could keep each other going; nor does what somebody gets as a task, or
 * was to get: who names somebody that is not here does not mean whoever is.
 */
export const goesRound = (authorKind: MemberKind, others: Policy, woken: boolean, names: boolean): boolean =>
  authorKind === 'human' && others === 'may_respond' && !woken && !names;

/** What became of it with one that was asked. `withdrawn`: it went, or could not; `stopped`: the message was taken away from it. */
export type AskedState = 'open' | 'taken' | 'declined' | 'expired' | 'withdrawn' | 'stopped';

export interface RoundCandidate extends Taker {
  handle: string;
  /** It takes part in the thread. */
  inThread: boolean;
  /** Tasks it has open. */
  busy: number;
  /** It was asked, went, and has time left: back, it is asked again in its old place. */
  wasAsked?: boolean;
}

export type Next = { ask: string } | 'wait' | 'end';

/** Whose turn it is. `asked`: how many were asked so far. For one that is only away it waits; with nobody left it is over. */
export function nextInRound(candidates: readonly RoundCandidate[], round: { authorId: string; asked: number }): Next {
  const open = candidates.filter(({ wasAsked }) => wasAsked === true || round.asked < mostAsked);
  const standing = open.map((agent) => ({ agent, may: mayTake(agent, { requesterId: round.authorId, path: [] }) }));
  const [first] = standing
    .filter(({ may }) => may.ok)
    .map(({ agent }) => agent)
    .toSorted(byTurn);
  if (first) return { ask: first.id };
  return standing.some(({ may }) => !may.ok && may.reason === 'offline') ? 'wait' : 'end';
}

/** Those who take part in the thread, then the least busy, then by name. */
const byTurn = (a: RoundCandidate, b: RoundCandidate): number =>
  Number(b.inThread) - Number(a.inThread) || a.busy - b.busy || (a.handle.toLowerCase() < b.handle.toLowerCase() ? -1 : 1);

/** Why an agent that claimed it has its task. */
export const isFromRound = (addressedBy: string): addressedBy is 'thread' | 'ambient' =>
  addressedBy === 'thread' || addressedBy === 'ambient';

/** A claim is refused: another has it, its author is still writing, or it does not stand with this agent. Undefined: it is its to take. */
export function claimRefusal(round: { composing: boolean; taken: boolean }, mine: AskedState | undefined) {
  if (mine === 'open') return undefined;
  if (round.taken) return 'already_claimed' as const;
  return round.composing ? ('composing' as const) : ('not_offered' as const);
}

/** A knock's topic: of the platform's own making, without a word of what was said (C2A-5). */
export const roundTopic = (asks: boolean, place: 'dm' | 'channel' | 'thread'): string =>
  `${asks ? 'question' : 'message'} to nobody by name in a ${place === 'dm' ? 'direct message' : place}`;
