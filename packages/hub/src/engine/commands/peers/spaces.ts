// The hub's record of shared spaces: how often each changed, and the channel where its person wants changes mentioned. The words are
// in the peer's store; a channel gets only those that everybody concerned approved (A2C-33).

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
import { longestPost, mustSpeakIn } from './channel-posts.ts';
import { channelAudience, otherSide, personOf } from './negotiations.ts';

type Invitee = { memberId: string } | { address: string };

export interface PeerSpaceCommands {
  'space.record': [{ memberId: string; status: SpaceStatus }, void];
  /** The members that the person may share a space with. */
  'space.invite': [{ others: readonly Invitee[] }, { others: (PeerOwner | { address: string })[] }];
  /** Null as `conversationId` removes the channel. `audience` is the channel's name for the other people. */
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
    const stored = rowFor(member.id, c.status.spaceId, tx);
    const isNoticed = noticed !== null && noticed > stored.noticed;
    const isPosted = line !== null && line.n > stored.posted;
    if (moves > stored.moves) recordChange(stored, tx);
    const kind = isNew && stored.noticed === 0 ? 'space_shared' : 'space_changed';
    if (isNoticed) notify(member.id, null, { kind, conversation: '', reason: stored.space_id }, tx);
    if (isPosted) postLine(member, stored, line, tx);
    if (moves <= stored.moves && !isNoticed && !isPosted) return;
    tx.update('spaces', stored, {
      moves: Math.max(moves, stored.moves),
      noticed: isNoticed ? noticed : stored.noticed,
      posted: isPosted ? line.n : stored.posted,
      updated_at: tx.now,
    });
  },
};

function rowFor(memberId: string, spaceId: string, tx: Tx): SpaceRow {
  const existing = tx.get('spaces', memberId, spaceId);
  if (existing) return existing;
  const counts = { moves: 0, noticed: 0, posted: 0 };
  const row = { member_id: memberId, space_id: spaceId, conversation_id: null, ...counts, created_at: tx.now, updated_at: tx.now };
  tx.insert('spaces', row);
  return tx.get('spaces', memberId, spaceId)!;
}

const recordChange = ({ member_id, space_id }: SpaceRow, tx: Tx): void =>
  void append(tx, { type: 'space.changed', scope: 'member', member_id, subject_id: space_id });

/**
 * Posts only where the person may still speak, and posts the line only if the channel still has the approved audience. The platform
 * is the author, so the message wakes no agent.
 */
function postLine(member: MemberRow, { conversation_id }: SpaceRow, { text, audience }: NonNullable<SpaceStatus['line']>, tx: Tx): void {
  if (conversation_id === null) return;
  const channel = channelFor(asActor(member), conversation_id, tx);
  if (!channel) return;
  const words = channelAudience(channel, tx) === audience ? text.slice(0, longestPost) : 'A shared space has changes.';
  const body = `${words} (@${member.handle})`;
  placeMessage({ id: tx.ids.next('message'), actor: { type: 'platform' }, conversation: channel, home: channel, body }, tx);
}

function channelFor(actor: Actor, conversationId: string, set: WorkingSet): ConversationRow | undefined {
  if (!set.get('conversations', conversationId)) return undefined;
  const { conversation, home, relations } = accessTo(actor, conversationId, set);
  const isOpen = conversation.kind === 'channel' && home.archived_at === null;
  return isOpen && may('message.post', actor, relations).allowed ? conversation : undefined;
}

const invite: Handler<'space.invite'> = {
  needs: (c) => [...borrowedWants(c.by), ...c.others.flatMap((other) => ('memberId' in other ? [wantRow('members', other.memberId)] : []))],
  decide: (c, tx) => {
    const person = personOf(c, tx);
    return { others: c.others.map((other) => otherSide(other, person, tx)) };
  },
};

const link: Handler<'space.link'> = {
  needs: (c) => [...borrowedWants(c.by), wantRow('settings', 'workspace.name')],
  decide: (c, tx) => {
    const person = personOf(c, tx);
    tx.lock(peerLock(person.id));
    const channel =
      c.conversationId === null
        ? null
        : mustSpeakIn(asActor(person), c.conversationId, { field: 'conversationId', mustBePublic: false }, tx);
    const row = rowFor(person.id, c.spaceId, tx);
    if (row.conversation_id !== (channel?.id ?? null)) {
      tx.update('spaces', row, { conversation_id: channel?.id ?? null, updated_at: tx.now });
      recordChange(row, tx);
    }
    return { audience: channel && channelAudience(channel, tx) };
  },
};

const forget: Handler<'space.forget'> = {
  locks: (c) => [peerLock(c.memberId)],
  decide: (c, tx) => {
    mustBeSystem(c.by, tx);
    const row = tx.get('spaces', c.memberId, c.spaceId);
    if (row) {
      recordChange(row, tx);
      tx.remove('spaces', row);
    }
  },
};

export const spaceHandlers = { 'space.record': record, 'space.invite': invite, 'space.link': link, 'space.forget': forget };
