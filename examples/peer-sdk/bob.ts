// Bob's program answers everybody who asks: it confirms dinners, and shares nothing else.

import type { OwnNegotiation, OwnPeer } from '@parley/peer/sdk';
import { begin } from './person.ts';

async function decide({ threadId, state, openPrompts, proposal }: OwnNegotiation, peer: OwnPeer): Promise<void> {
  const { calls } = peer;
  for (const prompt of openPrompts) {
    // Fields without an answer are declined.
    if (prompt.kind === 'consent') await calls.answer({ promptId: prompt.id, answer: { kind: 'consent', fields: [] } });
    if (prompt.kind === 'proposal') {
      const isDinner = prompt.summary.startsWith('Dinner');
      await calls.answer({ promptId: prompt.id, answer: { kind: isDinner ? 'confirm' : 'decline' } });
    }
  }
  if (state !== 'COMPLETED') return;
  console.log(`bob: agreed on ${proposal!.summary}`);
  await calls.negotiation({ threadId });
  await peer.close();
}

await begin('bob', decide);
