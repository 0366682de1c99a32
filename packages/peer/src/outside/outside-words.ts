// A negotiation with somebody without an agent, as its person reads it.

import type { OutsideRequest } from '@parley/protocol';
import { agreedStates, talkingStates } from '@parley/core/negotiation';
import { agreedText, offerHint } from '@parley/core/outside';
import type { MachineRecord, NegotiationNote } from '../negotiate/negotiation-records.ts';
import type { OutsidePerson } from './outside-people.ts';

/** Undefined: the words of a negotiation between peers do. Their own words are in quotation marks. */
export function outsideNoteText({ name }: OutsidePerson, { notice, details }: NegotiationNote): string | undefined {
  if (notice === 'outside_replied') return replyText(name, details);
  if (notice === 'outside_late' && details['kind'] !== undefined)
    return `${replyText(name, details)}. It came too late, and nothing changed`;
  if (notice === 'outside_offered') return `Your peer wrote a text for ${name}`;
  if (notice === 'confirmed') return `You and ${name} agreed`;
  if (notice === 'escalated') return 'It needs your decision';
  return undefined;
}

function replyText(name: string, { kind, text, time }: NegotiationNote['details']): string {
  const said = typeof text === 'string' && text !== '' ? `: “${text}”` : '';
  if (kind === 'works') return `${name} picked “${typeof time === 'string' ? time : ''}”${said}`;
  return kind === 'cannot' ? `${name} can’t${said}` : `${name} wants something different${said}`;
}

function agreedWith({ outside, machine, proposals }: MachineRecord): string | null {
  const { name: to, from, offer } = outside!;
  const time = proposals[machine.proposal?.hash ?? '']?.summary;
  const isAgreed = agreedStates.has(machine.state) && time !== undefined && offer !== null;
  return isAgreed ? agreedText({ to, from, time, zone: offer.zone }) : null;
}

/** Null in a negotiation between peers. */
export function viewOutside(record: MachineRecord): OutsideRequest | null {
  const { outside, machine } = record;
  if (!outside) return null;
  const { name, offer, link } = outside;
  const isOpen = offer?.reply === null && talkingStates.has(machine.state);
  return {
    name,
    text: isOpen ? offer.text : agreedWith(record),
    hint: isOpen ? offerHint(offer.isFromCalendar) : null,
    times: offer?.times.map(({ words }) => words) ?? [],
    reply: offer?.reply ? { kind: offer.reply.kind, text: offer.reply.text, at: offer.reply.at } : null,
    awaitsReply: isOpen,
    link: link ? { id: link.id, expiresAt: link.expiresAt, state: 'made', at: offer?.at ?? machine.quietSince } : null,
  };
}
