// A negotiation is opened: by a person, or by an agent for the person behind its task (A2C-34). The row is on disk before the
// service is asked, so that what the service opens is always known here.

import {
  type Actor,
  type Hearers,
  isUrgentIntent,
  may,
  negotiationOuterAt,
  negotiatorFor,
  negotiatorRefusals,
  relationsToMember,
  textsIn,
} from '@parley/core';
import { ParleyError, type PeerOwner } from '@parley/protocol';
import type { Need } from '@parley/protocol/relay';
import { wantBy, wantRow } from '../../../store/port.ts';
import type { ConversationRow, MemberRow, NegotiationRow, TaskRow } from '../../../store/tables.ts';
import { actorOf, type CommandOf, type Handler, memberFacts, require, type Tx } from '../../command.ts';
import { audienceOf as hearersOf, mustMayLeave } from '../../steps/conversations/egress.ts';
import { borrowedWants, lenderOf } from '../../steps/departure/borrowed-access.ts';
import { peerLock, type HubState } from '../../steps/people/peers.ts';
import { extendChain, homeOf } from '../../steps/tasks/chains.ts';
import { awaitNegotiation } from '../../steps/tasks/negotiations.ts';
import { asActor, heldTask, isHalted, taskWants } from '../../steps/tasks/task-access.ts';
import { guestShares } from '../../steps/membership/conversations.ts';
import { settleChain } from '../../steps/tasks/tasks.ts';
import type { WorkingSet } from '../../working-set.ts';
import { newNegotiation } from './peers.ts';

type Other = { memberId: string } | { address: string };

export interface OpenNegotiationCommands {
  'negotiation.open': [
    {
      threadId: string;
      /** Members of this hub, or peers elsewhere. */
      others: readonly Other[];
      intent: string;
      needs: readonly Need[];
      /** The agent's task, in which it is opened; left out, the person opens it. */
      task?: { id: string; lease: number; agentId?: string };
    },
    { negotiation: NegotiationRow; others: (PeerOwner | { address: string })[]; audience: string | null },
  ];
}

type Open = CommandOf<'negotiation.open'>;

const open: Handler<'negotiation.open'> = {
  needs: (c) => [
    ...borrowedWants(c.by),
    ...c.others.flatMap((other) => ('memberId' in other ? [wantRow('members', other.memberId)] : [])),
    ...(c.task ? [...taskWants(c.task.id), wantBy('negotiations', 'task', c.task.id)] : []),
    wantRow('settings', 'workspace.name'),
  ],
  decide: (c, tx) => {
    const task = c.task && taskOf(c, tx);
    const person = task ? personBehind(task, tx) : personOf(c, tx);
    tx.lock(peerLock(person.id));
    const known = tx.get('negotiations', person.id, c.threadId);
    const others = c.others.map((other) => otherSide(other, person, tx));
    const audience = task ? audienceOf(task, person, tx) : null;
    if (known) return { negotiation: known, others, audience };
    // An agent's own words go out in the first packet (SYS-6).
    if (task) mustMayLeave([c.intent, ...textsIn(c.needs)].join('\n'), task, () => recipientsOf(c, tx), tx);
    const state = 'OPENING' satisfies HubState;
    const negotiation = newNegotiation(
      person.id,
      c.threadId,
      { state, open: 1, ...(task ? { task_id: task.id, chain_id: task.chain_id } : {}) },
      tx,
    );
    if (task) {
      awaitNegotiation(task, c.threadId, tx);
      extendChain(task.chain_id, task.id, tx, negotiationOuterAt(tx.now, isUrgentIntent(c.intent)));
      settleChain(task.chain_id, tx);
    }
    return { negotiation, others, audience };
  },
};

function recipientsOf({ others }: Open, set: WorkingSet): Hearers {
  const members = others.flatMap((other) => ('memberId' in other ? [other.memberId] : []));
  const peers = others.flatMap((other) => ('memberId' in other ? [] : [{ id: other.address, kind: 'peer' as const, ownerId: null }]));
  const { recipients, anyone } = hearersOf(members, set);
  return { recipients: [...recipients, ...peers], anyone };
}

function taskOf(c: Open, tx: Tx): TaskRow {
  const { id, lease, agentId } = c.task!;
  const task = heldTask({ by: c.by, taskId: id, lease, ...(agentId === undefined ? {} : { agentId }) }, tx);
  if (task.state !== 'active') throw new ParleyError('task_not_active');
  if (isHalted(tx)) throw new ParleyError('halted');
  return task;
}

/** The person asks: in a session of their own. */
export function personOf(c: Pick<Open, 'by'>, tx: Tx): MemberRow {
  const actor = actorOf(c.by, tx, tx.now);
  require('peer.use', actor, ['self']);
  if (actor.type !== 'member') throw new ParleyError('forbidden', 'The operator is not a member.');
  if (lenderOf(c.by, tx) !== undefined) throw new ParleyError('forbidden', borrowedText, { reason: 'peer.use:borrowed' });
  return tx.get('members', actor.id)!;
}

export const borrowedText =
  'This session was opened by another member’s sign-in link, and a peer is for its person alone. Sign in with a link of your own.';

function personBehind(task: TaskRow, set: WorkingSet): MemberRow {
  const requesterId = set.get('chains', task.chain_id)!.requester_id;
  const requester = requesterId === null ? undefined : set.get('members', requesterId);
  const isPerson = requester?.kind === 'human' && requester.status === 'active';
  const verdict = negotiatorFor({
    ownerId: set.get('members', task.agent_id!)!.owner_id,
    requesterId: isPerson ? requester.id : undefined,
    openForTask: set.find('negotiations', 'task', task.id).filter((row) => row.open === 1).length,
    openForPerson: isPerson ? set.find('negotiations', 'member', requester.id, 1).filter(({ task_id }) => task_id !== null).length : 0,
  });
  if (!verdict.ok) throw new ParleyError('forbidden', negotiatorRefusals[verdict.reason], { reason: `negotiation.open:${verdict.reason}` });
  return requester!;
}

/** A guest learns nothing of members whom they do not know. */
export function otherSide(named: Other, person: MemberRow, set: WorkingSet): PeerOwner | { address: string } {
  if ('address' in named) return named;
  const other = set.get('members', named.memberId);
  const actor: Actor = asActor(person);
  const sees =
    other !== undefined &&
    may(
      'member.see',
      actor,
      relationsToMember(actor, memberFacts(other), { acquainted: person.role === 'guest' && guestShares(person.id, other.id, set) }),
    ).allowed;
  if (!sees || other.kind !== 'human' || other.status !== 'active') throw new ParleyError('not_found', noPerson);
  if (other.id === person.id) throw new ParleyError('peer_refused', 'That is you. Name somebody else.');
  return { memberId: other.id, handle: other.handle, displayName: other.display_name };
}

export const noPerson = 'Nobody here has that name. Name a member by their handle or a peer by its address, or invite them first.';

/** The readers of the outcome in the conversation of the request; null: nobody but the person and the agent. */
function audienceOf(task: TaskRow, person: MemberRow, set: WorkingSet): string | null {
  const home = homeOf(task.conversation_id, set);
  if (home.kind !== 'dm') return channelAudience(home, set);
  const members = membersOf(home, set);
  const isAlone = members.every(({ member_id }) => member_id === person.id || member_id === task.agent_id);
  return isAlone ? null : `a direct message of ${members.length} members${atWorkspace(set)}`;
}

/** A channel as people outside read it: they may not know that a private one exists. */
export const channelAudience = (home: ConversationRow, set: WorkingSet): string =>
  home.visibility === 'public'
    ? `#${home.name ?? ''}${atWorkspace(set)}`
    : `a private channel of ${membersOf(home, set).length} members${atWorkspace(set)}`;

const membersOf = (home: ConversationRow, set: WorkingSet) => set.find('memberships', 'conversation', home.id);

function atWorkspace(set: WorkingSet): string {
  const name = set.get('settings', 'workspace.name')?.value;
  return name === undefined ? '' : ` at ${JSON.parse(name) as string}`;
}

export const negotiationHandlers = { 'negotiation.open': open };
