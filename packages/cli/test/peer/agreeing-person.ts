// A person who shares what is asked for, goes on with a wider scope and confirms what is proposed.

import type { OwnPeerCalls } from '@parley/protocol';

export async function agree(calls: OwnPeerCalls): Promise<void> {
  for (const { threadId } of await calls.negotiations())
    for (const prompt of (await calls.negotiation({ threadId, isStored: true })).openPrompts) {
      const fields = prompt.kind === 'consent' ? prompt.fields.map(({ field }) => ({ field, answer: 'share' as const })) : [];
      if (prompt.kind === 'consent') await calls.answer({ promptId: threadId, answer: { kind: 'consent', fields } });
      else if (prompt.kind !== 'escalation')
        await calls.answer({ promptId: threadId, answer: { kind: prompt.kind === 'expansion' ? 'go_on' : 'confirm' } });
    }
  await calls.negotiations();
}
