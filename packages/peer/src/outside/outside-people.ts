// Somebody without an agent, as one side of a negotiation (A2C-11). This peer makes their packets from their answers: no packet is sent to
// them, and they have no key.

import type { ProposalContent } from '@parley/core/negotiation';
import type { OfferedStart } from '@parley/core/outside';
import { newId, newRemotePeer, type RemotePeer } from '../packets/peer-records.ts';
import type { PacketType, TypedPacket } from '@parley/protocol/relay';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';

export interface OfferedTime extends OfferedStart {
  /** The hash of the proposal with this time, to which a confirmation is bound. */
  hash: string;
  words: string;
  content: ProposalContent;
}

export const startsAt = ({ content }: OfferedTime): number => Date.parse(content.proposal.details!['start'] as string);

/** Their first answer. */
export interface OutsideReply {
  at: number;
  kind: 'works' | 'other' | 'cannot';
  /** The hash of the picked time; null for other answers. */
  hash: string | null;
  /** In their own words. */
  text: string;
  /** The link with which they answered; null if the person entered the answer. */
  link: string | null;
}

export interface RequestOffer {
  at: number;
  times: OfferedTime[];
  /** The text that the person sends. */
  text: string;
  zone: string;
  isFromCalendar: boolean;
  /** The person's own wish at the time of the offer. */
  wish?: string;
  reply: OutsideReply | null;
}

export interface RequestLink {
  id: string;
  /** Base64url, 32 bytes; the hub never stores it. */
  key: string;
  sealed: string;
  expiresAt: number;
}

export interface OutsidePerson {
  name: string;
  /** The name of the person who asks, as the text gives it. */
  from: string;
  offer: RequestOffer | null;
  /** The link to the present offer. */
  link?: RequestLink;
  /** Answers with these links no longer count, but the person still reads them. */
  earlierLinks?: RequestLink[];
}

const mostEarlierLinks = 5;

/** Retires the present link, before another link or offer replaces it. */
export function withoutLink({ link, earlierLinks = [], ...person }: OutsidePerson): OutsidePerson {
  return { ...person, earlierLinks: [...earlierLinks, ...(link ? [link] : [])].slice(-mostEarlierLinks) };
}

const form = /^outside:([^@]{1,400})@/;

/** The address contains the name, so that every place with the address can show it. */
export const outsideAddress = (name: string, threadId: string): string => `outside:${encodeURIComponent(name)}@${threadId}`;

/** Undefined for the address of a peer. */
export function outsideName(address: string): string | undefined {
  const [, name] = form.exec(address) ?? [];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/** They have no key, so they are unverified and nothing is sealed for them. */
export const outsidePeer = (address: string): RemotePeer => newRemotePeer(address, { key: null, epoch: null, trust: 'unverified' });

/** A packet that the other side would have sent. */
const packetAs = (as: PacketType, { machine }: MachineRecord, at: number, members: object): TypedPacket =>
  ({
    as,
    packet: {
      protocol: 'a2acp/1.0',
      packet_id: newId('pkt'),
      thread_id: machine.threadId,
      from: machine.peer,
      to: machine.own,
      timestamp: new Date(at).toISOString(),
      type: as,
      ...members,
    },
  }) as unknown as TypedPacket;

const declined = { status: 'declined', proposal_hash: null };
/** The packet of a decline by them. */
export const theirEnd = (record: MachineRecord, at: number): TypedPacket =>
  record.machine.role === 'initiator'
    ? packetAs('resolution_response', record, at, { ...declined, reason_class: 'user_declined' })
    : packetAs('resolution_outcome', record, at, { ...declined, confirmations: [] });

export function packetOf(record: MachineRecord, { at, kind, hash, text }: OutsideReply): TypedPacket {
  if (kind === 'works') return packetAs('resolution_response', record, at, { status: 'confirmed', proposal_hash: hash });
  if (kind === 'cannot') return theirEnd(record, at);
  const { name } = record.outside!;
  const escalation = {
    recommend: 'surface_to_users',
    reason: `${name} wants something different`,
    suggested_prompt: `${name} answered: “${text}”. Offer other times, or end it?`,
  };
  return packetAs('context', record, at, { escalation });
}

/** The report that their side is done. It has no actions after an agreement. */
export const doneByOutside = (record: MachineRecord, at: number): TypedPacket =>
  packetAs('execution_report', record, at, { proposal_hash: record.machine.proposal!.hash, scope: 'own', status: 'done' });
