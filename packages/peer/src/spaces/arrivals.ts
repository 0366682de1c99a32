// What a packet of a participant changes in a space. Everything is staged with the packet itself, so nothing is merged twice or lost.

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
  /** Who sent it. */
  peer: RemotePeer;
  own: string;
  content: PacketContents<'space_update'>;
  now: number;
}

const mostEarly = 200;
const mostChanges = 50;
/** Of one person, so that nobody fills a store with spaces. */
const mostSpaces = 50;
/** Of somebody with whom the person does nothing in any space: each one is a notice. Beyond it a space is lost to its maker. */
const mostUnusedSpaces = 20;
/** Of somebody whom nobody verified. */
const mostUnverifiedSpaces = 3;

/** Where its sender has too many spaces already, nothing of the packet is taken. The space as it is then; undefined: as before. */
export async function takeSpaceUpdate(store: PeerStore, packet: SpacePacket): Promise<SpaceRecord | undefined> {
  const { peer, own, content, now } = packet;
  const { space_id: id, created_by: creator, space, updates, left } = content;
  const known = await getValue(store, 'space', spaceKey(creator, id));
  if (known?.isLeft || (!known && creator === own)) return undefined;
  const isDefined = space !== undefined && !known?.definition && peer.address === creator;
  if ((!known || isDefined) && !(await hasRoom(store, packet))) return undefined;
  let record = known ?? { ...newSpace(creator, id, now), ...(peer.address === creator ? {} : { broughtBy: peer.address }) };
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

/** A space counts for its creator, and until they have defined it for the person who spoke of it. People name a space by its ID alone. */
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

/** One that does not name both the creator and this person is none. */
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
  // A space that is new to the person is worth a notice.
  const { early, broughtBy: _, ...defined } = withMove({ ...record, definition, isJoined, isNew: true }, true);
  return early.reduce((next: SpaceRecord, update) => withUpdate(next, update, own, record.changedAt), { ...defined, early: [] });
}

async function areVerified(store: PeerStore, addresses: readonly string[]): Promise<boolean> {
  for (const address of addresses) {
    const known = await getValue(store, 'peer', address);
    if (!known || known.trust === 'unverified') return false;
  }
  return true;
}

/** Those of one packet: all of them, or none where their writer has filled their part of the space. */
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
  const known = Object.hasOwn(fields, update.field) ? fields[update.field] : undefined;
  const before = known?.current.value ?? null;
  const next = withMove({ ...record, fields: merged.fields, changedAt: now }, false);
  if (merged.verdict === 'older' || !isMeaningful(before, update, own)) return next;
  // Several changes of one field are one: from what the person saw last to what it is now.
  const seen = record.changes.find(({ field }) => field === update.field);
  const news = { field: update.field, by: update.by, value: update.value };
  const reason = reasonFor({ ...news, before }, known, { own, watches: record.watches ?? [] }) ?? null;
  const change = { ...news, at: now, before: seen?.before ?? before, reason: reason ?? seen?.reason ?? null };
  const noticed = (next.noticed ?? 0) + (reason === null ? 0 : 1);
  const changes = [...record.changes.filter((one) => one !== seen), change].slice(-mostChanges);
  return withPending({ ...next, noticed, changes }, { ...news, before });
}

const withRefusal = (record: SpaceRecord, by: string): SpaceRecord => ({
  ...record,
  refused: { ...record.refused, [by]: (record.refused[by] ?? 0) + 1 },
});
