// Ann's program asks for a dinner, shares what Ann decided before, and confirms what suits her.

import type { OwnNegotiation, OwnPeer } from '@parley/peer/sdk';
import { begin } from './person.ts';

/** Ann's own decisions: a real program would ask her. */
const mayShare = ['cuisine_preference'];

async function decide({ threadId, state, openPrompts, proposal }: OwnNegotiation, peer: OwnPeer): Promise<void> {
  const { calls } = peer;
  for (const prompt of openPrompts) {
    if (prompt.kind === 'consent') {
      const fields = prompt.fields.map(({ field }) => ({
        field,
        answer: mayShare.includes(field) ? ('share' as const) : ('decline' as const),
      }));
      for (const { field, answer } of fields) console.log(`ann: ${answer} ${field}`);
      await calls.answer({ promptId: prompt.id, answer: { kind: 'consent', fields } });
    }
    if (prompt.kind === 'proposal') await calls.answer({ promptId: prompt.id, answer: { kind: 'confirm' } });
  }
  if (state !== 'COMPLETED') return;
  console.log(`ann: agreed on ${proposal!.summary}`);
  // The last packets go out before the program ends.
  await calls.negotiation({ threadId });
  await peer.close();
}

const ann = await begin('ann', decide);
await ann.calls.setField({ field: 'cuisine_preference', value: 'Italian' });
await ann.calls.setField({ field: 'transport_mode', value: 'train' });
await ann.calls.open({ with: { address: 'agent:bob@localhost' }, intent: 'Dinner on Friday' });
