// Names that nobody here has (PAP-18), and the notice to their author.

import { type Address, isPassedOver, sigilOf } from '@parley/core';
import type { MessageRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { IncomingMessage } from '../conversations/incoming-message.ts';
import { notify } from '../facts/append.ts';
import { nearestHere, type NamedMembers } from '../conversations/addressable-members.ts';

/** A message of many unknown names gets no more notices than this. */
const maxUnknown = 3;

/** The nearest one, or the offer to invite a member who has it elsewhere. */
export function notifyUnknown(named: NamedMembers, incoming: IncomingMessage, message: MessageRow, tx: Tx): void {
  const seen = new Set<string>();
  for (const address of named.addresses) {
    const fold = address.handle.toLowerCase();
    if (address.kind !== 'unknown' || seen.has(fold) || seen.size >= maxUnknown) continue;
    seen.add(fold);
    notifyAddress(address, fold, named, incoming, message, tx);
  }
}

function notifyAddress(address: Address, fold: string, named: NamedMembers, incoming: IncomingMessage, message: MessageRow, tx: Tx): void {
  const { home, author } = incoming;
  const where = { conversation: incoming.conversation.id, message: message.id, start: address.start, end: address.end };
  const sigil = sigilOf(incoming.body[address.start]!);
  const { cause } = address;
  if (isPassedOver(cause)) return notify(author.id, home.id, { kind: 'unknown_handle', ...where, reason: cause! }, tx);
  if (named.vacant.has(fold)) return notify(author.id, home.id, { kind: 'nobody_holds', ...where }, tx);
  const elsewhere = named.elsewhere.get(fold);
  // Guests do not learn which other members there are.
  const sees = tx.get('members', author.id)?.role !== 'guest';
  if (elsewhere && sees && (sigil === '@' || elsewhere.kind === 'agent')) {
    notify(author.id, home.id, { kind: 'not_here', ...where, member: elsewhere.id }, tx);
    return;
  }
  const nearestHandle = nearestHere(address, sigil, home, tx);
  const details = { ...(nearestHandle === undefined ? {} : { nearest: nearestHandle }), ...(cause === undefined ? {} : { reason: cause }) };
  notify(author.id, home.id, { kind: 'unknown_handle', ...where, ...details }, tx);
}
