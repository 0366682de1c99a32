// What to offer. The hub decides by the same table; asking it here only spares people buttons that would be refused.

import { may, relationsToConversation } from '@parley/core';
import type { Action, Actor } from '@parley/core';
import type { Member, Message, MyConversation, Task } from '@parley/protocol';
import type { State } from './model.ts';

const actorOf = (me: Member): Actor => ({
  type: 'member',
  id: me.id,
  kind: me.kind,
  role: me.role,
  active: me.status === 'active',
  tokenKind: 'person',
});

export const mayAct = (action: Action, me: Member): boolean => may(action, actorOf(me)).allowed;

/** For a thread pass the conversation it hangs in. */
export function mayIn(action: Action, me: Member, home: MyConversation, message?: Message): boolean {
  const actor = actorOf(me);
  const relations = relationsToConversation(actor, home, home.joined ? { role: home.myRole ?? 'participant' } : undefined);
  if (message && message.authorId === me.id) relations.push('author');
  return may(action, actor, relations).allowed;
}

/** Whether there may be conversations of agents to look into: of those one owns or manages; of all, for who looks after it all. */
export function overseesAgents({ members, myId }: Pick<State, 'members' | 'myId'>): boolean {
  const me = members[myId]!;
  const steward = me.role === 'owner' || me.role === 'admin';
  const agents = Object.values(members).filter(({ kind }) => kind === 'agent');
  return steward ? agents.length > 1 : me.role !== 'guest' && agents.some((agent) => agent.ownerId === myId || agent.managerId === myId);
}

/** When it sleeps: its owner, and who looks after the workspace. */
export const mayEditAgent = (me: Member, agent: Member): boolean =>
  may('agent.edit', actorOf(me), agent.ownerId === me.id ? ['owner'] : []).allowed;

/** Who may set the interval of an agent's digest: its owner, or a moderator. */
export function mayDigest(me: Member, agent: Member, home: MyConversation): boolean {
  const actor = actorOf(me);
  const relations = relationsToConversation(actor, home, home.joined ? { role: home.myRole ?? 'participant' } : undefined);
  if (agent.ownerId === me.id) relations.push('owner');
  return may('digest.set', actor, relations).allowed;
}

/** Stop and redirect (PAP-15): who asked, or began the chain; the agent's owner; a moderator. */
export function mayStop(
  me: Member,
  task: Task,
  agent: Member | undefined,
  home: MyConversation | undefined,
  chainRequesterId?: string | null,
): boolean {
  const actor = actorOf(me);
  const relations = home ? relationsToConversation(actor, home, home.joined ? { role: home.myRole ?? 'participant' } : undefined) : [];
  if (task.requesterId === me.id || chainRequesterId === me.id) relations.push('requester');
  if (agent?.ownerId === me.id) relations.push('owner');
  return may('task.stop', actor, relations).allowed;
}
