// Somebody without an agent, as one side of a negotiation (A2C-11). Their side of the machine is played here, by what they answered: no
// packet leaves for them, and no key of theirs exists.

import type { ProposalContent } from '@parley/core/negotiation';
import type { OfferedStart } from '@parley/core/outside';
import { newId, newRemotePeer, type RemotePeer } from '../packets/peer-records.ts';
import type { PacketType, TypedPacket } from '@parley/protocol/relay';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';

export interface OfferedTime extends OfferedStart {
  /** Of the proposal that picking this time makes: the confirmation binds to it. */
  hash: string;
  words: string;
  content: ProposalContent;
}

export const startsAt = ({ content }: OfferedTime): number => Date.parse(content.proposal.details!['start'] as string);

/** What they answered, in the first answer that came. */
export interface OutsideReply {
  at: number;
  kind: 'works' | 'other' | 'cannot';
  /** Of the time that works; null for other answers. */
  hash: string | null;
  /** In their own words. */
  text: string;
  /** The link over which it came; null: the person passed it on. */
  link: string | null;
}

export interface RequestOffer {
  at: number;
  times: OfferedTime[];
  /** For the person to send. */
  text: string;
  zone: string;
  isFromCalendar: boolean;
  /** The person's own words about it, when it was made. */
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
  /** How the text calls the person who asks. */
  from: string;
  offer: RequestOffer | null;
  /** To the present offer. */
  link?: RequestLink;
  /** Answers over these do not count any more; the person still reads them. */
  earlierLinks?: RequestLink[];
}

const mostEarlierLinks = 5;

/** The person makes another link, or offers other times. */
export function withoutLink({ link, earlierLinks = [], ...person }: OutsidePerson): OutsidePerson {
  return { ...person, earlierLinks: [...earlierLinks, ...(link ? [link] : [])].slice(-mostEarlierLinks) };
}

const form = /^outside:([^@]{1,400})@/;

/** The name is in it, so that it is known wherever the address is. */
export const outsideAddress = (name: string, threadId: string): string => `outside:${encodeURIComponent(name)}@${threadId}`;

/** Undefined for the address of a peer. */
export function outsideName(address: string): string | undefined {
  const [, name] = form.exec(address) ?? [];
  return name === undefined ? undefined : decodeURIComponent(name);
}

/** Nobody verified them, and nothing is ever sealed for them. */
export const outsidePeer = (address: string): RemotePeer => newRemotePeer(address, { key: null, epoch: null, trust: 'unverified' });

// The packets that the peer of somebody without an agent would have sent. They are made here, from their answer, and travel nowhere.

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
/** As if they had declined. */
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

/** Nothing has to be done on their side when both have agreed. */
export const doneByOutside = (record: MachineRecord, at: number): TypedPacket =>
  packetAs('execution_report', record, at, { proposal_hash: record.machine.proposal!.hash, scope: 'own', status: 'done' });
