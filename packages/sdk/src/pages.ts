// Lists that the hub gives a page at a time, as one.

import type { Member } from '@parley/protocol';
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
