// Prompts, states and trust in words.

import type { PeerPerson, PromptCard } from '@parley/protocol';

const possessive = (name: string): string => `${name}${/s$/i.test(name) ? '’' : '’s'}`;

export const peerOf = (name: string): string => `${possessive(name)} peer`;

export function promptHeadline(card: PromptCard): string {
  if (card.kind === 'consent') return `${peerOf(card.peerName)} is asking for:`;
  if (card.kind === 'proposal') return `${card.reminded ? 'Reminder: ' : ''}${peerOf(card.peerName)} proposes:`;
  if (card.kind === 'key_change') return `The key of ${card.peerName} has changed. Nothing is sent until you decide.`;
  // Anybody can choose a name: the address is what the relay vouches for.
  return `Somebody unverified wants to negotiate: ${card.peer}`;
}

const states: Readonly<Record<string, string>> = {
  INITIATED: 'Opened',
  NEGOTIATING: 'Negotiating',
  PROPOSED: 'Waiting for confirmation',
  STALLED: 'Stalled',
  CONFIRMED: 'Confirmed',
  EXECUTING: 'Carrying it out',
  FAILED: 'Failed',
  ROLLBACK: 'Undoing',
  COMPLETED: 'Completed',
  DECLINED: 'Declined',
  EXPIRED: 'Expired',
};

export const stateText = (state: string): string => (Object.hasOwn(states, state) ? states[state]! : state);

export type StateTone = 'done' | 'ended' | 'wait' | 'run';

export function stateTone(state: string, waitsForMe: boolean): StateTone {
  if (waitsForMe || state === 'STALLED') return 'wait';
  if (state === 'COMPLETED') return 'done';
  return state === 'DECLINED' || state === 'EXPIRED' || state === 'FAILED' ? 'ended' : 'run';
}

const trusts: Readonly<Record<PeerPerson['trust'], string>> = {
  unverified: 'Unverified',
  pinned: 'Pinned by their card',
  introduced: 'Introduced by this hub',
  verified: 'Verified',
};

export const trustText = ({ trust, stranger }: Pick<PeerPerson, 'trust' | 'stranger'>): string =>
  `${trusts[trust]}${stranger ? ', wrote first' : ''}`;
