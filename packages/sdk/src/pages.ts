// Lists that the hub gives a page at a time, as one.

import type { Member, MyConversation } from '@parley/protocol';
import type { Client } from './client.ts';

/** Every member that the caller may see. */
export async function everyMember({ call }: Pick<Client, 'call'>): Promise<{ members: Member[] }> {
  const members: Member[] = [];
  for (let after: string | null | undefined; after !== null;) {
    const page = await call('listMembers', { query: { limit: 500, ...(after === undefined ? {} : { after }) } });
    members.push(...page.members);
    after = page.next;
  }
  return { members };
}

/** Every conversation of the caller, and the public channels they could join. Follow the stream from `cursor`. */
export async function everyConversation({ call }: Pick<Client, 'call'>): Promise<{ conversations: MyConversation[]; cursor: string }> {
  const first = await call('listConversations', { query: { limit: 500 } });
  const conversations = [...first.conversations];
  for (let { next } = first; next !== null;) {
    const page = await call('listConversations', { query: { limit: 500, after: next } });
    conversations.push(...page.conversations);
    next = page.next;
  }
  return { conversations, cursor: first.cursor };
}
