// A person on a hub without doors, in the channel everyone starts in.

import { operator } from '../../src/engine/command.ts';
import type { Kernel } from '../../src/kernel.ts';

export async function addAnn({ engine, store }: Kernel): Promise<{ by: { memberId: string; tokenId: string }; conversationId: string }> {
  const named = { handle: 'ann', displayName: 'ann', about: '', role: 'member' } as const;
  const { member } = await engine.submit({ type: 'member.add', by: operator, kind: 'human', ...named });
  const { token } = await engine.submit({ type: 'token.create', by: operator, hash: 'h', kind: 'person', memberId: member.id, label: '' });
  const [general] = await store.rows('conversations', "where name = 'general'");
  return { by: { memberId: member.id, tokenId: token.id }, conversationId: general!.id };
}
