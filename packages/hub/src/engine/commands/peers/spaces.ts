// Shared spaces as the hub knows them: how often one changed, and in which channel its person wants that mentioned. The words are in
// the peer's store; a channel gets those that everybody concerned agreed to (A2C-33).

import { wantRow } from '../../../store/port.ts';
import { type Actor, may } from '@parley/core';
import { type PeerOwner, SpaceId, type SpaceStatus } from '@parley/protocol';
import type { ConversationRow, MemberRow, SpaceRow } from '../../../store/tables.ts';
import { type Handler, mustBeSystem, type Tx } from '../../command.ts';
import { accessTo } from '../../steps/facts/conversation-access.ts';
import { borrowedWants } from '../../steps/departure/borrowed-access.ts';
import { append, notify } from '../../steps/facts/append.ts';
import { placeMessage } from '../../steps/messages/post-message.ts';
import { peerLock } from '../../steps/people/peers.ts';
import { asActor } from '../../steps/tasks/task-access.ts';
import type { WorkingSet } from '../../working-set.ts';
import { mustSpeakIn } from './channel-posts.ts';
import { channelAudience, otherSide, personOf } from './negotiations.ts';

type Other = { memberId: string } | { address: string };

export interface PeerSpaceCommands {
  'space.record': [{ memberId: string; status: SpaceStatus }, void];
  /** The members that the person may share a space with. */
  'space.invite': [{ others: readonly Other[] }, { others: (PeerOwner | { address: string })[] }];
  /** `conversationId`: null, no channel any more. `audience`: how the others read it. */
  'space.link': [{ spaceId: string; conversationId: string | null }, { audience: string | null }];
  'space.forget': [{ memberId: string; spaceId: string }, void];
}

const record: Handler<'space.record'> = {
  locks: (c) => [peerLock(c.memberId)],
  needs: (c) => [wantRow('members', c.memberId), wantRow('spaces', c.memberId, c.status.spaceId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const member = tx.get('members', c.memberId);
    if (member?.kind !== 'human' || member.status !== 'active' || !SpaceId.safeParse(c.status.spaceId).success) return;
    const { moves, noticed, isNew = false, line } = c.status;
    const before = rowFor(member.id, c.status.spaceId, tx);
    const isNoticed = noticed !== null && noticed > before.noticed;
    const isPosted = line !== null && line.n > before.posted;
    if (moves > before.moves) spaceFact(before, tx);
    const kind = isNew && before.noticed === 0 ? 'space_shared' : 'space_changed';
    if (isNoticed) notify(member.id, null, { kind, conversation: '', reason: before.space_id }, tx);
    if (isPosted) post(member, before, line, tx);
    if (moves <= before.moves && !isNoticed && !isPosted) return;
    tx.update('spaces', before, {
      moves: Math.max(moves, before.moves),
      noticed: isNoticed ? noticed : before.noticed,
      posted: isPosted ? line.n : before.posted,
      updated_at: tx.now,
    });
  },
};

function rowFor(memberId: string, spaceId: string, tx: Tx): SpaceRow {
  const known = tx.get('spaces', memberId, spaceId);
  if (known) return known;
  const counts = { moves: 0, noticed: 0, posted: 0 };
  const row = { member_id: memberId, space_id: spaceId, conversation_id: null, ...counts, created_at: tx.now, updated_at: tx.now };
  tx.insert('spaces', row);
  return tx.get('spaces', memberId, spaceId)!;
}

const spaceFact = ({ member_id, space_id }: SpaceRow, tx: Tx): void =>
  void append(tx, { type: 'space.changed', scope: 'member', member_id, subject_id: space_id });

const mostPosted = 2000;

/**
 * Only where the person may still speak themselves, and with words only where the channel still has the readers that were
 * agreed to. The message calls nobody, whatever it holds.
 */
function post(member: MemberRow, { conversation_id }: SpaceRow, { text, audience }: NonNullable<SpaceStatus['line']>, tx: Tx): void {
  if (conversation_id === null) return;
  const place = placeFor(asActor(member), conversation_id, tx);
  if (!place) return;
  const words = channelAudience(place, tx) === audience ? text.slice(0, mostPosted) : 'A shared space has changes.';
  const body = `${words} (@${member.handle})`;
  placeMessage({ id: tx.ids.next('message'), actor: { type: 'platform' }, conversation: place, home: place, body }, tx);
}

function placeFor(actor: Actor, conversationId: string, set: WorkingSet): ConversationRow | undefined {
  if (!set.get('conversations', conversationId)) return undefined;
  const { conversation, home, relations } = accessTo(actor, conversationId, set);
  const isPlace = conversation.kind === 'channel' && home.archived_at === null;
  return isPlace && may('message.post', actor, relations).allowed ? conversation : undefined;
}

const invite: Handler<'space.invite'> = {
  needs: (c) => [...borrowedWants(c.by), ...c.others.flatMap((one) => ('memberId' in one ? [wantRow('members', one.memberId)] : []))],
  decide: (c, tx) => {
    const person = personOf(c, tx);
    return { others: c.others.map((one) => otherSide(one, person, tx)) };
  },
};

const link: Handler<'space.link'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('settings', 'workspace.name')],
  decide: (c, tx) => {
    const person = personOf(c, tx);
    tx.lock(peerLock(person.id));
    const place =
      c.conversationId === null ? null : mustSpeakIn(asActor(person), c.conversationId, { field: 'conversationId', isPublic: false }, tx);
    const row = rowFor(person.id, c.spaceId, tx);
    if (row.conversation_id !== (place?.id ?? null)) {
      tx.update('spaces', row, { conversation_id: place?.id ?? null, updated_at: tx.now });
      spaceFact(row, tx);
    }
    return { audience: place && channelAudience(place, tx) };
  },
};

const forget: Handler<'space.forget'> = {
  locks: (c) => [peerLock(c.memberId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = tx.get('spaces', c.memberId, c.spaceId);
    if (row) {
      spaceFact(row, tx);
      tx.remove('spaces', row);
    }
  },
};

export const spaceHandlers = { 'space.record': record, 'space.invite': invite, 'space.link': link, 'space.forget': forget };
