// Bob's program answers everybody who asks: it confirms dinners, and shares nothing else.

import type { NegotiationView, OwnPeer } from '@parley/peer/sdk';
import { begin } from './person.ts';

async function decide({ id, state, open_prompts: prompts, proposal }: NegotiationView, peer: OwnPeer): Promise<void> {
  const { commands } = peer;
  for (const { id: prompt, kind, fields } of prompts) {
    if (kind === 'consent') await commands.consent({ id: prompt, answers: fields.map(({ field }) => ({ field, answer: 'decline' })) });
    if (kind === 'confirmation') {
      const isDinner = proposal!.summary.startsWith('Dinner');
      await commands.confirm({ id: prompt, answer: { kind: isDinner ? 'confirm' : 'decline' } });
    }
  }
  if (state !== 'COMPLETED') return;
  console.log(`bob: agreed on ${proposal!.summary}`);
  await commands.show(id);
  await peer.close();
}

await begin('bob', decide);
