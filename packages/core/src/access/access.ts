// The rules of access (SYS-11): one table, action × role × relation. Every door and every tool asks `may`; nothing else in
// the system decides access. A cell is `yes`, `no`, or the relations of which one must hold.

import type { MemberKind, Role, TokenKind } from '@parley/protocol';

/** How the actor stands to what the action is about. */
export type Relation =
  | 'self' // the member in question is the actor
  | 'owner' // the actor owns the agent in question
  | 'manager' // the actor is its manager
  | 'below' // neither the member in question nor the role to be given is a workspace owner
  | 'acquainted' // they share a conversation
  | 'author' // the actor wrote the message
  | 'joined' // the actor is in the conversation (for a thread: in its parent)
  | 'moderator' // and moderates it: whom the channel made moderator, and owners and admins in a channel they are in
  | 'open' // the conversation is a public channel
  | 'requester' // the actor asked for the task, or began its chain
  | 'overseer'; // it is a DM of agents, and the actor owns or manages one of them

type Cell = true | false | readonly Relation[];
/** Columns: the four roles of people, then agents. An agent's token never reaches a person's column. */
type Row = readonly [owner: Cell, admin: Cell, member: Cell, guest: Cell, agent: Cell];

const yes = true;
const no = false;

// prettier-ignore
export const accessTable = {
  'workspace.enter':      [yes, yes, yes, yes, yes], // asked at every door: a source's or bridge's token is nobody's eyes
  'workspace.browse':     [yes, yes, yes, no, no], // public channels one is not in, and facts for the whole workspace

  'member.see':           [yes, yes, yes, ['self', 'acquainted'], ['self', 'acquainted']],
  'member.add_person':    [yes, yes, no, no, no],
  'member.add_agent':     [yes, yes, yes, no, no],
  'member.invite':        [yes, yes, yes, no, no],
  'member.invite_admin':  [yes, yes, no, no, no],
  'member.edit':          [yes, ['self', 'below'], ['self', 'owner', 'manager'], ['self'], no],
  'member.rename':        [yes, ['self', 'below'], ['self', 'owner'], no, no], // a guest could ask which handles are taken
  'handle.reuse':         [yes, yes, no, no, no], // one that somebody else had before
  'member.set_role':      [yes, ['below'], no, no, no],
  'member.reassign':      [yes, ['below'], ['owner'], no, no],
  'member.deactivate':    [yes, ['below'], ['owner'], no, no],
  'member.reactivate':    [yes, ['below'], no, no, no],
  'member.erase':         [yes, ['below'], ['self'], ['self'], no],
  'member.export':        [yes, ['self'], ['self'], ['self'], no],

  'role.see':             [yes, yes, yes, yes, no],
  'role.manage':          [yes, yes, no, no, no],

  'token.create_person':  [['self'], ['self'], ['self'], no, no],
  'token.create_agent':   [yes, yes, ['owner'], no, no],
  'token.create_machine': [yes, yes, no, no, no],
  'token.revoke':         [yes, ['self', 'owner', 'below'], ['self', 'owner'], ['self'], no],
  'link.sign_in':         [yes, ['self', 'below'], ['self'], ['self'], no],
  'link.revoke':          [yes, yes, ['author'], no, no],

  'channel.create':       [yes, yes, yes, no, no],
  'dm.open':              [yes, yes, yes, ['acquainted'], no],
  'conversation.read':    [['joined', 'open', 'overseer'], ['joined', 'open', 'overseer'], ['joined', 'open', 'overseer'], ['joined'], ['joined']],
  'conversation.edit':    [['moderator', 'open'], ['moderator', 'open'], ['moderator'], no, no],
  'conversation.join':    [['open'], ['open'], ['open'], no, no],
  'conversation.leave':   [['joined'], ['joined'], ['joined'], ['joined'], no],
  'conversation.add':     [['joined', 'open'], ['joined', 'open'], ['joined'], no, no],
  'conversation.remove':  [['moderator', 'open', 'owner'], ['moderator', 'open', 'owner'], ['moderator', 'owner'], no, no],

  'conversation.dismiss': [['joined'], ['joined'], ['joined'], ['joined'], no], // asking an agent to leave, and calling it back

  'message.post':         [['joined'], ['joined'], ['joined'], ['joined'], no],
  'message.edit':         [['author'], ['author'], ['author'], ['author'], no],
  'message.delete':       [['author', 'moderator', 'open'], ['author', 'moderator', 'open'], ['author', 'moderator'], ['author'], no],
  'message.assign':       [['joined'], ['joined'], ['joined'], ['joined'], no], // giving it to an agent as work; agents delegate
  'message.react':        [['joined'], ['joined'], ['joined'], ['joined'], ['joined']],
  'attachment.upload':    [yes, yes, yes, yes, no],

  'peer.use':             [['self'], ['self'], ['self'], ['self'], no], // a person's own peer, and nobody else's
  'stream.follow':        [yes, yes, yes, yes, no], // an agent has a socket of its own, with the events meant for it
  'task.stop':            [['requester', 'owner', 'moderator'], ['requester', 'owner', 'moderator'], ['requester', 'owner', 'moderator'], ['requester'], no],
  'checkpoint.close':     [yes, yes, ['self'], ['self'], no], // who is asked; owners and admins where they cannot
  'agent.edit':           [yes, yes, ['owner'], no, no],
  'agent.reach':          [yes, yes, no, no, no], // where its brain is reached, with which of the hub's secrets, and which tool servers it has
  'identity.see':         [yes, yes, ['owner'], no, no], // and its files, where it has some
  'secret.manage':        [yes, yes, no, no, no],
  'secret.bind':          [yes, no, no, no, no], // naming hosts for a secret whose value one need not know
  'contact.see':          [yes, yes, yes, no, no], // whom agents may contact, and why
  'contact.rule':         [yes, yes, ['owner'], no, no],
  'digest.set':           [['owner', 'moderator'], ['owner', 'moderator'], ['owner', 'moderator'], no, ['self']],
  'event.emit':           [yes, yes, yes, no, yes], // a source's token may, too, and nothing else; an agent in an invocation of its own
  'trigger.create':       [yes, yes, yes, no, no], // and manifests, schedules and monitors: they run in the name of their maker
  'trigger.edit':         [yes, yes, ['owner'], no, no],
  'trigger.see':          [yes, yes, ['owner'], no, no], // and what came of it
  'source.manage':        [yes, yes, no, no, no], // sources: who may send events, and which
  'tool.see':             [yes, yes, yes, no, no], // which tool servers there are, and how they stand
  'tool.manage':          [yes, yes, no, no, no],
  'tool.run_program':     [yes, no, no, no, no], // one that is a program on the hub's machine
  'audit.see':            [yes, yes, no, no, no], // what agents did, who approved it, who read the DMs of agents, and whose access changed
  'workspace.halt':       [yes, yes, yes, no, no], // anyone who sees something go wrong may stop it
  'workspace.release':    [yes, yes, no, no, no],
  'demo.play':            [yes, yes, no, no, no], // start the demo story, and remove it
} as const satisfies Record<string, Row>;

export type Action = keyof typeof accessTable;

export type MemberActor = { type: 'member'; id: string; kind: MemberKind; role: Role; active: boolean; tokenKind: TokenKind };
/** The operator is the person at the machine, by the command line, never by a page; the platform is the hub acting by itself. */
export type Actor = { type: 'operator' } | { type: 'platform' } | { type: 'webhook'; sourceId: string } | MemberActor;

export type AccessVerdict = { allowed: true } | { allowed: false; reason: AccessReason };
export type AccessReason = 'deactivated' | 'token_kind' | 'agents_may_not' | 'role_may_not' | 'not_related';

const columns: readonly Role[] = ['owner', 'admin', 'member', 'guest'];

export const isHigherRole = (role: Role, than: Role): boolean => columns.indexOf(role) < columns.indexOf(than);

export function may(action: Action, actor: Actor, relations: Iterable<Relation> = []): AccessVerdict {
  if (actor.type === 'operator' || actor.type === 'platform') return { allowed: true };
  if (actor.type === 'webhook') return action === 'event.emit' ? { allowed: true } : { allowed: false, reason: 'token_kind' };
  if (!actor.active) return { allowed: false, reason: 'deactivated' };
  // A token acts only as the kind of member it was made for; sources and bridges act as nobody, and a source may say one thing.
  if ((actor.kind === 'agent') !== (actor.tokenKind === 'agent')) return { allowed: false, reason: 'token_kind' };
  if (actor.tokenKind === 'source' && action === 'event.emit') return { allowed: true };
  if (actor.tokenKind === 'source' || actor.tokenKind === 'bridge') return { allowed: false, reason: 'token_kind' };

  const column = actor.kind === 'agent' ? 4 : columns.indexOf(actor.role);
  const cell: Cell = accessTable[action][column] as Cell;
  if (cell === true) return { allowed: true };
  if (cell === false) return { allowed: false, reason: actor.kind === 'agent' ? 'agents_may_not' : 'role_may_not' };
  for (const relation of relations) if (cell.includes(relation)) return { allowed: true };
  return { allowed: false, reason: 'not_related' };
}

export interface MemberFacts {
  id: string;
  kind: MemberKind;
  role: Role;
  ownerId: string | null;
  managerId: string | null;
}

export function relationsToMember(
  actor: Actor,
  target: MemberFacts,
  given: { newRole?: Role | undefined; acquainted?: boolean } = {},
): Relation[] {
  if (actor.type !== 'member') return [];
  const relations: Relation[] = [];
  if (target.id === actor.id) relations.push('self');
  if (target.kind === 'agent' && target.ownerId === actor.id) relations.push('owner');
  if (target.managerId === actor.id) relations.push('manager');
  if (target.role !== 'owner' && given.newRole !== 'owner') relations.push('below');
  if (given.acquainted) relations.push('acquainted');
  return relations;
}

export interface ConversationFacts {
  kind: 'channel' | 'dm' | 'thread';
  visibility: 'public' | 'private';
}
/** For a thread pass its parent: a thread is read and written by those who are in the conversation it hangs in. */
export function relationsToConversation(
  actor: Actor,
  conversation: ConversationFacts,
  membership: { role: 'moderator' | 'participant' } | undefined,
  dmMembers: readonly MemberFacts[] = [],
): Relation[] {
  if (actor.type !== 'member') return [];
  const relations: Relation[] = [];
  if (membership) relations.push('joined');
  const steward = isSteward(actor.role);
  if (membership && conversation.kind === 'channel' && (membership.role === 'moderator' || steward)) relations.push('moderator');
  if (conversation.kind === 'channel' && conversation.visibility === 'public') relations.push('open');
  if (conversation.kind === 'dm' && isAgentDm(dmMembers) && isOverseer(actor, dmMembers)) relations.push('overseer');
  return relations;
}

const isSteward = (role: string): boolean => role === 'owner' || role === 'admin';

/** Who answers for one of these agents, or for everyone. */
export const isOverseer = (person: { id: string; role: string }, agents: readonly Pick<MemberFacts, 'ownerId' | 'managerId'>[]): boolean =>
  isSteward(person.role) || agents.some((agent) => agent.ownerId === person.id || agent.managerId === person.id);

export const isAgentDm = (members: readonly { kind: string }[]): boolean => members.length > 1 && members.every((m) => m.kind === 'agent');
