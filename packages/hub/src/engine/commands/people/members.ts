// People and agents: adding, changing, deactivating, erasing.

import { type Action, type Actor, may, relationsToMember } from '@parley/core';
import { type EditMember, type MemberKind, type Role, foldHandle, ParleyError } from '@parley/protocol';
import type { z } from 'zod';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { MemberRow } from '../../../store/tables.ts';
import { actorId, actorOf, type By, type Handler, invalidField, memberFacts, mustBeSystem, require, type Tx } from '../../command.ts';
import { accountOf, agentsOn } from '../../steps/budget/budget-accounts.ts';
import { agentChanged } from '../../steps/agents/agents.ts';
import { addEffect } from '../../outbox.ts';
import { forgetPeer } from '../../steps/people/peers.ts';
import { accessWant, auditChainWant, eraseAccessDetails } from '../../steps/facts/audit-entries.ts';
import { endLentBy } from '../../steps/departure/borrowed-access.ts';
import { eraseAttachment, eraseMessage, gatherErasure } from '../../steps/departure/erase-message.ts';
import { deactivate, leaveWants } from '../../steps/departure/deactivate-member.ts';
import {
  askAgain,
  endTokensMadeBy,
  giveAgent,
  mayOffer,
  offerAgent,
  pause,
  withdrawOffer,
  eraseEvent,
  forgetProvoked,
} from '../../steps/departure/handovers.ts';
import { forgetIdentities } from '../../steps/departure/forget-identities.ts';
import { isBounded } from '../../steps/triggers/triggers-in-force.ts';
import { mustBeOurs } from '../../steps/membership/agent-identities.ts';
import { mustNotBeHigher, withdrawPromotions } from '../../steps/departure/promotions.ts';
import { freeHandle, handleLock } from '../../steps/people/handles.ts';
import { change, firstOwner, keepAnOwner, manager, newMember, person, rolesLock } from '../../steps/membership/members.ts';
import { settleOffersFor } from '../../steps/offers/offers.ts';
import { aboutMember, append, heardIn } from '../../steps/facts/append.ts';
import { setTimer } from '../../steps/facts/timers.ts';

export interface MemberCommands {
  'member.add': [
    {
      kind: MemberKind;
      handle: string;
      displayName: string;
      about: string;
      role: Role;
      ownerId?: string | undefined;
      managerId?: string | undefined;
    },
    { member: MemberRow },
  ];
  'member.edit': [{ memberId: string; change: z.output<typeof EditMember> }, { member: MemberRow }];
  'member.deactivate': [{ memberId: string }, { member: MemberRow }];
  'member.reactivate': [{ memberId: string }, { member: MemberRow }];
  'member.erase': [{ memberId: string }, { member: MemberRow }];
  /** Goes on with an erasure, a bounded piece at a time, so that one long history does not hold up everyone. */
  'member.erase_more': [
    {
      memberId: string;
      messageIds: string[];
      attachmentIds: string[];
      reactions: { messageId: string; emoji: string }[];
      requestKeys: string[];
      eventIds: string[];
    },
    void,
  ];
  'member.dnd': [{ until: number | null }, { member: MemberRow }];
  'member.exported': [{ memberId: string }, void];
}

const add: Handler<'member.add'> = {
  locks: (c) => [handleLock(c.handle)],
  needs: (c) => [
    wantBy('members', 'handle', foldHandle(c.handle)),
    wantBy('roles', 'handle', foldHandle(c.handle)),
    wantRow('settings', 'default_channel'),
  ],
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    require(c.kind === 'agent' ? 'member.add_agent' : 'member.add_person', actor);
    if (c.kind === 'human' && c.ownerId !== undefined) throw invalidField('ownerId', 'only agents have an owner');
    if (c.kind === 'agent' && c.role !== 'member') throw invalidField('role', 'agents have no other role than member');
    if (c.role === 'owner' || c.role === 'admin') require('member.set_role', actor, c.role === 'owner' ? [] : ['below']);
    let ownerId: string | null = null;
    if (c.kind === 'agent') {
      ownerId = c.ownerId ?? actorId(actor) ?? firstOwner(tx);
      if (ownerId === null) throw invalidField('ownerId', 'an agent needs a person who answers for it');
      person(ownerId, 'ownerId', tx);
      if (c.ownerId !== undefined && c.ownerId !== actorId(actor)) require('member.reassign', actor, ['below']);
      tx.lock(`member:${ownerId}`);
      mustHaveRoom(ownerId, actor, tx);
    }
    if (c.managerId !== undefined && !tx.get('members', c.managerId)) throw invalidField('managerId', 'is not a member');
    const member = newMember({ ...c, ownerId, managerId: c.managerId ?? null }, actor, tx);
    // An owner who did not ask for it accepts it first; an operator answers for it.
    if (ownerId !== null && actor.type === 'member' && ownerId !== actor.id) {
      pause(member.id, tx);
      offerAgent(member.id, ownerId, true, tx);
    }
    if (member.kind === 'agent') agentChanged(member.id, tx);
    return { member };
  },
};

/** Each agent costs, so a plain member keeps a few, together with the people they invited. Owners and admins may add more for them. */
function mustHaveRoom(ownerId: string, actor: Actor, tx: Tx): void {
  if (actor.type !== 'member' || !isBounded(tx.get('members', actor.id)!)) return;
  const account = accountOf(ownerId, tx);
  tx.lock(`account:${account}`);
  const most = tx.limits.agentsPerMember;
  const agents = agentsOn(account, tx);
  if (agents.length >= most)
    throw new ParleyError(
      'forbidden',
      `Agent limit reached: you and the people you invited have ${agents.length} of ${most} agents. Deactivate one, or ask an owner or admin to add it.`,
      {
        reason: 'member.add_agent:quota',
      },
    );
}

/** `action`: what the caller must be allowed to do to the member. */
function target(c: { by: By; memberId: string }, tx: Tx, action?: Action) {
  const actor = actorOf(c.by, tx, tx.now);
  const member = tx.get('members', c.memberId);
  // A guest can change nobody but themselves, and does not learn which other members there are.
  const known = member && (may('member.see', actor).allowed || member.id === actorId(actor));
  if (!known || member.status === 'erased') throw new ParleyError('not_found', 'There is no such member.');
  if (action) require(action, actor, relationsToMember(actor, memberFacts(member)));
  return { actor, member };
}

const edit: Handler<'member.edit'> = {
  locks: (c) => [
    `member:${c.memberId}`,
    ...(c.change.handle === undefined ? [] : [handleLock(c.change.handle)]),
    // The managers form one tree: two changes of it at once could close a loop.
    ...(c.change.role === undefined && c.change.managerId === undefined ? [] : [rolesLock]),
  ],
  needs: (c) => [wantRow('members', c.memberId)],
  decide: (c, tx) => {
    const { actor, member } = target(c, tx);
    const { displayName, about, handle, role, ownerId, managerId } = c.change;
    const relations = relationsToMember(actor, memberFacts(member), { newRole: role });
    const next: Partial<MemberRow> = {};
    let assigned = member;
    let offeredTo: string | undefined;
    // These fields are in the agent's files, where it has some.
    if (member.kind === 'agent' && [displayName, about, handle, managerId].some((field) => field !== undefined))
      mustBeOurs(member.id, member.handle, tx);
    if (displayName !== undefined || about !== undefined) require('member.edit', actor, relations);
    if (displayName !== undefined) next.display_name = displayName;
    if (about !== undefined) next.about = about;
    if (handle !== undefined && handle !== member.handle) {
      require('member.rename', actor, relations);
      Object.assign(next, { handle, handle_fold: freeHandle(handle, member.id, actor, tx) });
    }
    if (role !== undefined && role !== member.role) {
      require('member.set_role', actor, relations);
      if (member.kind === 'agent') throw invalidField('role', 'agents have no other role than member');
      mustNotBeHigher(role, member);
      withdrawPromotions(member.id, actor, tx);
      if (member.role === 'owner') keepAnOwner(member, tx);
      next.role = role;
      // A member lends no more than the new role could: an admin no session of an owner, a plain member nobody's.
      if (role !== 'owner') endLentBy(member.id, actor, tx);
      if (role === 'member' || role === 'guest') endTokensMadeBy(member.id, (agent) => agent.owner_id !== member.id, actor, tx);
    }
    if (ownerId !== undefined && ownerId !== member.owner_id) {
      require('member.reassign', actor, relations);
      if (member.kind !== 'agent') throw invalidField('ownerId', 'only agents have an owner');
      person(ownerId, 'ownerId', tx);
      if (actor.type === 'operator' || ownerId === actorId(actor)) {
        // An edit that names the manager as well keeps or changes the manager.
        const manager_id = managerId === member.manager_id ? managerId : null;
        assigned = giveAgent(member, { owner_id: ownerId, manager_id }, actor, tx);
      } else offeredTo = ownerId;
      if (offeredTo !== undefined && member.owner_id === actorId(actor)) {
        tx.lock(`member:${offeredTo}`);
        if (!mayOffer(member, offeredTo, tx))
          throw invalidField('ownerId', 'has three offers of yours already: wait for an answer, or take one back');
      }
    } else if (ownerId !== undefined && member.kind === 'agent') {
      require('member.reassign', actor, relations);
      withdrawOffer(member.id, tx);
    }
    if (managerId !== undefined && managerId !== assigned.manager_id) {
      require('member.reassign', actor, relations);
      next.manager_id = managerId === null ? null : manager(managerId, member.id, tx);
    }
    const edited = change(assigned, next, actor, tx);
    if (offeredTo !== undefined) offerAgent(edited.id, offeredTo, false, tx);
    return { member: edited };
  },
};

const leave: Handler<'member.deactivate'> = {
  locks: (c) => [`member:${c.memberId}`, rolesLock],
  needs: (c) => leaveWants(c.memberId),
  decide: (c, tx) => {
    const { actor, member } = target(c, tx, 'member.deactivate');
    if (member.status === 'deactivated') return { member };
    return { member: deactivate(member, actor, tx) };
  },
};

const comeBack: Handler<'member.reactivate'> = {
  locks: (c) => [`member:${c.memberId}`, rolesLock],
  needs: (c) => [wantRow('members', c.memberId)],
  decide: (c, tx) => {
    const { actor, member } = target(c, tx, 'member.reactivate');
    const back = change(member, { status: 'active' }, actor, tx);
    if (member.kind === 'agent') {
      askAgain(back, actor, tx);
      settleOffersFor([member.id], tx);
    }
    return { member: back };
  },
};

const erase: Handler<'member.erase'> = {
  locks: (c) => [`member:${c.memberId}`, rolesLock],
  needs: (c) => [
    ...leaveWants(c.memberId),
    wantBy('memberships', 'member', c.memberId),
    wantBy('reads', 'member', c.memberId),
    accessWant(c.memberId),
  ],
  decide: (c, tx) => {
    const { actor, member } = target(c, tx, 'member.erase');
    // This must come before its agents change their owner.
    forgetIdentities(member, tx);
    const gone = member.status === 'active' ? deactivate(member, actor, tx) : member;
    forgetProvoked(member.id, tx);
    const memberships = tx.find('memberships', 'member', member.id);
    tx.need(memberships.map(({ conversation_id }) => wantRow('conversations', conversation_id)));
    for (const membership of memberships) {
      // A DM keeps its members: who it was with is what the other side knows it by.
      if (tx.get('conversations', membership.conversation_id)?.kind === 'channel') {
        tx.remove('memberships', membership);
        append(tx, { type: 'membership.removed', actor, ...heardIn(membership.conversation_id), member_id: member.id });
      }
    }
    for (const read of tx.find('reads', 'member', member.id)) tx.remove('reads', read);
    for (const token of tx.find('tokens', 'member', member.id)) tx.update('tokens', token, { label: 'erased' });
    const tail = member.id.slice(-12);
    const erased = change(
      gone,
      {
        status: 'erased',
        handle: `erased-${tail}`,
        handle_fold: `erased-${tail}`,
        display_name: 'Erased member',
        about: '',
        dnd_until: null,
      },
      actor,
      tx,
    );
    eraseAccessDetails(member.id, tx);
    addEffect('member.erase_more', { memberId: member.id }, tx);
    forgetPeer(member.id, tx);
    return { member: erased };
  },
};

const eraseMore: Handler<'member.erase_more'> = {
  locks: (c) => [`member:${c.memberId}`],
  needs: (c) => [
    wantRow('members', c.memberId),
    ...c.messageIds.flatMap((id) => [wantRow('messages', id), wantBy('message_versions', 'message', id), wantBy('tasks', 'message', id)]),
    ...c.attachmentIds.map((id) => wantRow('attachments', id)),
    ...c.reactions.map((r) => wantRow('reactions', r.messageId, c.memberId, r.emoji)),
    ...c.requestKeys.map((key) => wantRow('requests', c.memberId, key)),
    ...c.eventIds.map((id) => wantRow('events', id)),
  ],
  decide: (c, tx) => {
    const actor = mustBeSystem(c.by, tx);
    if (tx.get('members', c.memberId)?.status !== 'erased') throw new ParleyError('forbidden');
    const messages = c.messageIds
      .flatMap((id) => tx.get('messages', id) ?? [])
      .filter((message) => message.author_id === c.memberId && message.deleted_at === null);
    gatherErasure(messages, c.attachmentIds, tx);
    for (const message of messages) {
      const conversation = tx.get('conversations', message.conversation_id)!;
      eraseMessage(message, message.author_id, tx);
      append(tx, {
        type: 'message.deleted',
        actor,
        ...heardIn(conversation.parent_id ?? conversation.id),
        subject_id: message.id,
      });
    }
    for (const id of c.attachmentIds) if (tx.get('attachments', id)?.uploaded_by === c.memberId) eraseAttachment(id, tx);
    for (const { messageId, emoji } of c.reactions) {
      const reaction = tx.get('reactions', messageId, c.memberId, emoji);
      if (reaction) tx.remove('reactions', reaction);
    }
    for (const key of c.requestKeys) {
      const request = tx.get('requests', c.memberId, key);
      if (request) tx.remove('requests', request);
    }
    tx.need(c.eventIds.flatMap((id) => tx.get('events', id) ?? []).map(({ chain_id }) => auditChainWant(chain_id)));
    for (const id of c.eventIds) {
      const event = tx.get('events', id);
      if (event?.by_id === c.memberId) eraseEvent(event, tx);
    }
    const counts = { messages: c.messageIds.length, attachments: c.attachmentIds.length, reactions: c.reactions.length };
    append(tx, { type: 'member.erased_more', actor, ...aboutMember(c.memberId), data: counts });
  },
};

const dnd: Handler<'member.dnd'> = {
  locks: (c) => ('memberId' in c.by ? [`member:${c.by.memberId}`] : []),
  decide: (c, tx) => {
    const actor = actorOf(c.by, tx, tx.now);
    if (actor.type !== 'member') throw new ParleyError('forbidden');
    const member = tx.get('members', actor.id)!;
    const until = c.until !== null && c.until > tx.now ? c.until : null;
    setTimer('dnd.end', member.id, 'wall', until, tx);
    if (until === member.dnd_until) return { member };
    append(tx, { type: 'member.edited', actor, scope: 'member', ...aboutMember(member.id), data: { fields: ['dnd_until'] } });
    return { member: tx.update('members', member, { dnd_until: until }) };
  },
};

const exported: Handler<'member.exported'> = {
  decide: (c, tx) => {
    const { actor, member } = target(c, tx, 'member.export');
    append(tx, { type: 'member.exported', actor, ...aboutMember(member.id) });
  },
};

export const memberHandlers = {
  'member.add': add,
  'member.edit': edit,
  'member.deactivate': leave,
  'member.reactivate': comeBack,
  'member.erase': erase,
  'member.erase_more': eraseMore,
  'member.dnd': dnd,
  'member.exported': exported,
};
