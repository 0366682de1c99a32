// How an agreed meeting is called in a calendar: what, and with whom. The calendar itself says when.

import { nameList } from '@parley/core';
import { addressParts } from '@parley/protocol/relay';
import { outsideName } from '../outside/outside-people.ts';
import type { ActionCall } from './port.ts';
import { toOneLine } from '@parley/protocol';
import type { Negotiation } from '@parley/core/negotiation';

/** How the host calls the person behind an address; by default as the address does. */
export type NameOf = (address: string) => string;

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
/** `ben.okafor` is Ben Okafor. */
export const addressName: NameOf = (address) =>
  outsideName(address) ??
  addressParts(address)
    .name.split(/[._-]+/)
    .map(capital)
    .join(' ');

const longestTitle = 500;

export function eventKind({ summary, details }: Pick<ActionCall, 'summary' | 'details'>): string {
  const { event_type: kind } = details;
  const what = typeof kind === 'string' && kind.trim() !== '' ? capital(kind.trim()) : summary;
  return what.slice(0, longestTitle);
}

export const eventTitle = (
  { peer, others = [peer], ...event }: Pick<ActionCall, 'peer' | 'others' | 'summary' | 'details'>,
  nameOf: NameOf = addressName,
): string => `${eventKind(event)} with ${nameList(others.map(nameOf))}`;

// What is posted where a negotiation was asked for: what was agreed, and who meets. Both people confirm this very text, so it follows from
// the proposal and the addresses alone (A2C-24).

/** Of a group nobody knows yet who comes. */
export function outcomeText(summary: string, { role, own, peer, group }: Negotiation): string {
  const people = role === 'initiator' ? [own, peer] : [peer, own];
  const agreed = toOneLine(summary);
  return group ? agreed : `${agreed}, with ${nameList(people.map(addressName))}`;
}
