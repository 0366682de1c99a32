// Ann's program asks for a dinner, shares what Ann decided before, and confirms what suits her.

import type { NegotiationView, OwnPeer } from '@parley/peer/sdk';
import { begin } from './person.ts';

/** Ann's own decisions: a real program would ask her. */
const mayShare = ['cuisine_preference'];

async function decide({ id, state, open_prompts: prompts, proposal }: NegotiationView, peer: OwnPeer): Promise<void> {
  const { commands } = peer;
  for (const { id: prompt, kind, fields } of prompts) {
    if (kind === 'consent') {
      const answers = fields.map(({ field }) => ({ field, answer: mayShare.includes(field) ? ('share' as const) : ('decline' as const) }));
      for (const { field, answer } of answers) console.log(`ann: ${answer} ${field}`);
      await commands.consent({ id: prompt, answers });
    }
    if (kind === 'confirmation') await commands.confirm({ id: prompt, answer: { kind: 'confirm' } });
  }
  if (state !== 'COMPLETED') return;
  console.log(`ann: agreed on ${proposal!.summary}`);
  // The last packets go out before the program ends.
  await commands.show(id);
  await peer.close();
}

const ann = await begin('ann', decide);
await ann.commands.setField({ field: 'cuisine_preference', value: 'Italian' });
await ann.commands.setField({ field: 'transport_mode', value: 'train' });
await ann.commands.negotiate({ address: 'agent:bob@localhost', intent: 'Dinner on Friday', needs: [] });
