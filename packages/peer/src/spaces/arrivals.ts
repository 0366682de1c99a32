// Merges a participant's packet into a space. The changes are committed together with the packet, so none is merged twice or lost.

import {
  type FieldUpdate,
  fitsField,
  isMeaningful,
  mergeUpdate,
  reasonFor,
  type SpaceDefinition,
  withinBytes,
  writerBytes,
} from '@parley/core/space';
import { mostSpaceParticipants, type PacketContents } from '@parley/protocol/relay';
import { allRecords, getValue, type RemotePeer } from '../packets/peer-records.ts';
import type { PeerStore } from '../store/port.ts';
import { hasPeople, isUsed, newSpace, putSpace, spaceKey, type SpaceRecord, withMove, withPending } from './space-records.ts';

export interface SpacePacket {
  /** The sender. */
  peer: RemotePeer;
  own: string;
  content: PacketContents<'space_update'>;
  now: number;
}

const mostEarly = 200;
const mostChanges = 50;
/** Spaces of one person, so that nobody fills a store with spaces. */
const mostSpaces = 50;
/** Spaces of somebody with whom the person uses none. Each of them causes a notice; the peer refuses further ones. */
const mostUnusedSpaces = 20;
/** Spaces of somebody whom the person has not verified. */
const mostUnverifiedSpaces = 3;

/** Returns the changed space; undefined if nothing changed. Nothing of a packet is merged if its sender has too many spaces. */
export async function takeSpaceUpdate(store: PeerStore, packet: SpacePacket): Promise<SpaceRecord | undefined> {
  const { peer, own, content, now } = packet;
  const { space_id: id, created_by: creator, space, updates, left } = content;
  const stored = await getValue(store, 'space', spaceKey(creator, id));
  if (stored?.isLeft || (!stored && creator === own)) return undefined;
  const isDefined = space !== undefined && !stored?.definition && peer.address === creator;
  if ((!stored || isDefined) && !(await hasRoom(store, packet))) return undefined;
  let record = stored ?? { ...newSpace(creator, id, now), ...(peer.address === creator ? {} : { broughtBy: peer.address }) };
  if (isDefined) record = await withDefinition(store, record, space, own);
  record = withUpdates(
    record,
    updates.map(({ field, counter, value }) => ({ field, counter, value, by: peer.address })),
    own,
    now,
  );
  if (left)
    record = withMove({ ...record, gone: [...new Set([...(record.gone ?? []), peer.address])].slice(0, mostSpaceParticipants) }, false);
  await store.commit([putSpace(record)]);
  return record;
}

/**
 * A space counts for its creator; before its definition came, for the person who mentioned it. No second space may have its ID, because
 * people name a space by its ID alone.
 */
async function hasRoom(store: PeerStore, { peer, own, content }: SpacePacket): Promise<boolean> {
  const { space_id: id, created_by: creator } = content;
  let spaces = 0;
  let most = peer.trust === 'unverified' ? mostUnverifiedSpaces : mostUnusedSpaces;
  for await (const { value } of allRecords(store, 'space')) {
    if (value.id === id && value.creator === creator) continue;
    if (value.id === id && value.definition) return false;
    if (!value.isLeft && (value.broughtBy ?? value.creator) === peer.address) spaces += 1;
    if (peer.trust !== 'unverified' && hasPeople(value, [own, peer.address]) && isUsed(value, own)) most = mostSpaces;
  }
  return spaces < most;
}

/** A definition is invalid if it does not name both the creator and this person. */
async function withDefinition(
  store: PeerStore,
  record: SpaceRecord,
  { name, participants }: NonNullable<SpacePacket['content']['space']>,
  own: string,
): Promise<SpaceRecord> {
  const permissions = Object.fromEntries(participants.map(({ agent, may }) => [agent, may] as const));
  if (!Object.hasOwn(permissions, record.creator) || !Object.hasOwn(permissions, own)) return withRefusal(record, record.creator);
  const definition: SpaceDefinition = { name, creator: record.creator, participants: permissions };
  const isJoined = await areVerified(
    store,
    Object.keys(permissions).filter((address) => address !== own),
  );
  // The person gets a notice of a new space.
  const { early, broughtBy: _, ...defined } = withMove({ ...record, definition, isJoined, isNew: true }, true);
  return early.reduce((next: SpaceRecord, update) => withUpdate(next, update, own, record.changedAt), { ...defined, early: [] });
}

async function areVerified(store: PeerStore, addresses: readonly string[]): Promise<boolean> {
  for (const address of addresses) {
    const person = await getValue(store, 'peer', address);
    if (!person || person.trust === 'unverified') return false;
  }
  return true;
}

/** Merges all updates of one packet, or none if their writer has used up their part of the space. */
function withUpdates(record: SpaceRecord, updates: readonly FieldUpdate[], own: string, now: number): SpaceRecord {
  const [first] = updates;
  if (!first) return record;
  const next = updates.reduce((one, update) => withUpdate(one, update, own, now), record);
  const fields = withinBytes(next.fields, first.by, writerBytes.taken);
  return fields ? { ...next, fields } : withRefusal(record, first.by);
}

function withUpdate(record: SpaceRecord, update: FieldUpdate, own: string, now: number): SpaceRecord {
  const { definition, fields, early } = record;
  if (!definition)
    return early.length < mostEarly && fitsField(update.value) ? { ...record, early: [...early, update] } : withRefusal(record, update.by);
  const merged = mergeUpdate(definition, fields, update);
  if (merged.verdict === 'repeated') return record;
  if (merged.verdict !== 'changed' && merged.verdict !== 'older') return withRefusal(record, update.by);
  const existing = Object.hasOwn(fields, update.field) ? fields[update.field] : undefined;
  const before = existing?.current.value ?? null;
  const next = withMove({ ...record, fields: merged.fields, changedAt: now }, false);
  if (merged.verdict === 'older' || !isMeaningful(before, update, own)) return next;
  // Several changes of one field become one, from the value that the person saw last to the present one.
  const seen = record.changes.find(({ field }) => field === update.field);
  const news = { field: update.field, by: update.by, value: update.value };
  const reason = reasonFor({ ...news, before }, existing, { own, watches: record.watches ?? [] }) ?? null;
  const change = { ...news, at: now, before: seen?.before ?? before, reason: reason ?? seen?.reason ?? null };
  const noticed = (next.noticed ?? 0) + (reason === null ? 0 : 1);
  const changes = [...record.changes.filter((one) => one !== seen), change].slice(-mostChanges);
  return withPending({ ...next, noticed, changes }, { ...news, before });
}

const withRefusal = (record: SpaceRecord, by: string): SpaceRecord => ({
  ...record,
  refused: { ...record.refused, [by]: (record.refused[by] ?? 0) + 1 },
});
