// The right to say that an event happened (PRV-5): monitors and the operator to every trigger, a member to their own
// triggers. Another member's trigger takes their events only where it says so.

import { type Absence, isReserved, type PapEvent, senderIn, type Trigger } from '@parley/protocol';
import { type Holder, isBounded } from '../../invocation/owned-definitions.ts';

/** `owner`: whose trigger or monitor it is. `sender`: the member whose event it is; undefined: no member's. */
export const accepts = ({ accept }: Pick<Trigger | Absence, 'accept'>, owner: string, sender: string | undefined): boolean =>
  sender === undefined || sender === owner || accept === 'members';

/**
 * The member who answers for an event: the one who sends it, or the owner of the schedule, absence monitor or invocation
 * that emits it, because members write those themselves. Objects of owners and admins speak for the workspace, and so do
 * the platform's own events. `maker`: that owner.
 */
export function answerableMember({ source, type }: PapEvent, maker: Holder | undefined): string | undefined {
  const sender = senderIn(source);
  if (sender !== undefined) return sender;
  return maker !== undefined && !isReserved(type) && isBounded(maker) ? maker.id : undefined;
}
