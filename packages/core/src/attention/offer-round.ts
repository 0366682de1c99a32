// On an open floor (C2A-15) an offer round starts with a message that a person addresses to nobody. The agents that may
// speak up are asked one after the other, three at most and never two at once; one that claims it gets a task, and nobody
// has one before that.

import type { MemberKind, Policy } from '@parley/protocol';
import { mayTake, type Taker } from './offer.ts';

/** So many agents are asked in all. */
export const mostAsked = 3;

/**
 * Agents' own words start no round, or two of them could keep each other going. Nor does a message that becomes a task, or
 * names somebody absent: its author does not mean the agents that are present.
 */
export const makesRound = (authorKind: MemberKind, others: Policy, woken: boolean, names: boolean): boolean =>
  authorKind === 'human' && others === 'may_respond' && !woken && !names;

/**
 * The answer of an agent that was offered the message. `withdrawn`: the agent went, or could not; `stopped`: the message
 * was taken away from the agent.
 */
export type AskedState = 'open' | 'taken' | 'declined' | 'expired' | 'withdrawn' | 'stopped';

export interface RoundCandidate extends Taker {
  handle: string;
  /** The agent takes part in the thread. */
  inThread: boolean;
  /** Tasks it has open. */
  busy: number;
  /**
   * The agent was offered the message, went, and has time left: when it comes back, it is offered the message again in its
   * old place.
   */
  wasAsked?: boolean;
}

export type Next = { ask: string } | 'wait' | 'end';

/**
 * The agent that is asked next. `asked`: how many were asked so far. The round waits for an agent that is only away; with
 * nobody left it is over.
 */
export function nextInRound(candidates: readonly RoundCandidate[], round: { authorId: string; askedAgents: number }): Next {
  const open = candidates.filter(({ wasAsked }) => wasAsked === true || round.askedAgents < mostAsked);
  const standing = open.map((agent) => ({ agent, may: mayTake(agent, { requesterId: round.authorId, path: [] }) }));
  const [first] = standing
    .filter(({ may }) => may.ok)
    .map(({ agent }) => agent)
    .toSorted(byTurn);
  if (first) return { ask: first.id };
  return standing.some(({ may }) => !may.ok && may.reason === 'offline') ? 'wait' : 'end';
}

/** First the agents that take part in the thread, then the least busy, then by name. */
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

/** The topic of a knock: the platform's own words, without a word of the message (C2A-5). */
export const roundTopic = (asks: boolean, place: 'dm' | 'channel' | 'thread'): string =>
  `${asks ? 'question' : 'message'} to nobody by name in a ${place === 'dm' ? 'direct message' : place}`;
