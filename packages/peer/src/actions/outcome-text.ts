// What is posted where a negotiation was asked for: what was agreed, and who meets. Both people confirm this very text, so it follows from
// the proposal and the addresses alone (A2C-24).

import { nameList } from '@parley/core';
import { toOneLine } from '@parley/protocol';
import type { Negotiation } from '@parley/core/negotiation';
import { addressName } from './event-title.ts';

/** Of a group nobody knows yet who comes. */
export function outcomeText(summary: string, { role, own, peer, group }: Negotiation): string {
  const people = role === 'initiator' ? [own, peer] : [peer, own];
  const agreed = toOneLine(summary);
  return group ? agreed : `${agreed}, with ${nameList(people.map(addressName))}`;
}
