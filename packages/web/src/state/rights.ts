// What to offer. The hub decides by the same table; asking it here only spares people buttons that would be refused.

import { may, relationsToConversation } from '@parley/core';
import type { Action, Actor } from '@parley/core';
import type { Member, Message, MyConversation } from '@parley/protocol';

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
