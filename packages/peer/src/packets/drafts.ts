// Writes a packet: its number, what it has seen, history and outbox row, all in one commit. Sealing follows when there is a session.

import {
  commonVersion,
  ownCapabilities,
  ownFormatHints,
  type Packet,
  type UnavailableField,
  utf8,
  writePacket,
} from '@parley/protocol/relay';
import { badInput, PeerCallError } from '@parley/protocol';
import { mostTextBytes } from '../seal/sealed-body.ts';
import type { PeerStore, RecordChange } from '../store/port.ts';
import { putNegotiation } from './numbers.ts';
import {
  getRecord,
  getValue,
  type NegotiationRecord,
  negotiationKey,
  newId,
  newNegotiation,
  type OutboxRecord,
  type PacketRecord,
  type RemotePeer,
  type SelfRecord,
  sentKey,
  type TypedRecord,
} from './peer-records.ts';

export interface PacketContent {
  type: string;
  context?: Record<string, unknown>;
  /** What else a packet of this type has (spec/packets.md). The members of the head cannot be set. */
  members?: Record<string, unknown>;
  /** Continues a negotiation; without one, the latest with this peer, or a new one. */
  threadId?: string | undefined;
  startsNew?: boolean | undefined;
}

export interface PacketDraft {
  /** Of the outbox. */
  key: string;
  packet: Packet;
}

export async function draftPacket(
  store: PeerStore,
  self: SelfRecord,
  peer: RemotePeer,
  content: PacketContent,
  now: number,
): Promise<PacketDraft> {
  const { value: negotiation, version } = await negotiationFor(store, peer.address, content, now);
  const epoch = self.epoch.counter;
  const number = (negotiation.sent[epoch] ?? 0) + 1;
  const isFirst = Object.keys(negotiation.sent).length === 0;
  const { members = {}, context = members['context'] as object | undefined } = content;
  const { packet, text } = checkedPacket(peer, {
    ...members,
    ...headOf(self, peer, negotiation.threadId, content.type, now),
    sequence: { epoch, number },
    last_seen: negotiation.lastSeen,
    ...(isFirst ? { capabilities: ownCapabilities, _format_hints: ownFormatHints } : {}),
    ...(context ? { context } : {}),
    ...permissionsOf(content.type, context, members['context_unavailable'] as UnavailableField[] | undefined),
  });
  const excess = utf8(text).length - mostTextBytes;
  if (excess > 0) throw badInput(`The packet is ${excess} bytes too large. Send less at once, or fewer fields.`);
  const history = sentKey(peer.address, negotiation.threadId, epoch, number);
  const record: PacketRecord = { direction: 'out', peer: peer.address, packet, text, at: now, state: 'waiting' };
  const next: NegotiationRecord = { ...negotiation, sent: { ...negotiation.sent, [epoch]: number }, at: now };
  const row: OutboxRecord = { to: peer.address, history, threadId: negotiation.threadId, text, sealed: null };
  await store.commit([
    ...putNegotiation(next, { isLatest: content.type !== 'space_update', ifVersion: version }),
    { put: 'packet', key: history, value: record },
    { put: 'outbox', key: packet.packet_id, value: row, ifVersion: 0 },
  ]);
  return { key: packet.packet_id, packet };
}

/**
 * Withheld is what this packet declines, and nothing else: a list of all that a person withholds would tell what there is. A proposal
 * has none, as its hash covers every member.
 */
function permissionsOf(type: string, context: object | undefined, declined: readonly UnavailableField[] = []): { permissions?: object } {
  if (type === 'resolution' || (!context && declined.length === 0)) return {};
  const withheld = declined.map(({ field }) => field);
  const shared = Object.keys(context ?? {});
  // By a tier or by a tap, before it goes out: which of them is nobody else's business.
  const consent = shared.length > 0 ? { consent_level: 'user_preauthorised' } : {};
  return { permissions: { shared_fields: shared, ...(withheld.length > 0 ? { withheld_fields: withheld } : {}), ...consent } };
}

/** The fields that every packet has. */
export const headOf = (self: SelfRecord, peer: RemotePeer, threadId: string, type: string, now: number) => ({
  protocol: `a2acp/${commonVersion(peer.capabilities?.supported_versions ?? ownCapabilities.supported_versions)}`,
  packet_id: newId('pkt'),
  thread_id: threadId,
  from: self.address!,
  to: peer.address,
  timestamp: new Date(now).toISOString(),
  type,
});

/** Nothing leaves that its receiver would drop (A2C-36). */
function checkedPacket({ address, capabilities }: RemotePeer, draft: object): { packet: Packet; text: string } {
  const most = Math.min(capabilities?.max_context_size_bytes ?? Infinity, ownCapabilities.max_context_size_bytes);
  const written = writePacket(draft, most);
  if (!written.ok) throw badInput(`The packet for ${address} is not valid: ${written.field} ${written.problem}.`);
  return written;
}

async function negotiationFor(
  store: PeerStore,
  peer: string,
  { threadId, startsNew }: PacketContent,
  now: number,
): Promise<TypedRecord<'negotiation'>> {
  if (threadId !== undefined) {
    const known = await getRecord(store, 'negotiation', negotiationKey(peer, threadId));
    if (!known) throw new PeerCallError('unknown_peer', `There is no negotiation ${threadId} with ${peer}.`);
    return known;
  }
  const latest = startsNew ? undefined : await getValue(store, 'latest', peer);
  const known = latest === undefined ? undefined : await getRecord(store, 'negotiation', negotiationKey(peer, latest));
  return known ?? { key: '', value: newNegotiation(peer, newId('thr'), now), version: 0 };
}

/** A packet of the history again, under its inner id; undefined when it waits already. */
export async function draftAgain(store: PeerStore, record: PacketRecord, history: string): Promise<RecordChange | undefined> {
  return record.text === null || (await store.get('outbox', record.packet.packet_id)) ? undefined : putDraft(record, history);
}

/** A packet of ours waits for its recipient, not sealed yet. */
export function putDraft({ peer, packet, text }: PacketRecord, history: string): RecordChange {
  const row: OutboxRecord = { to: peer, history, threadId: packet.thread_id, text: text!, sealed: null };
  return { put: 'outbox', key: packet.packet_id, value: row, ifVersion: 0 };
}
