// A dinner that two people arrange through the MCP clients of their agents.

import { expect } from 'vitest';
import { dinnerPair, eventsOf, latest } from '../peer/negotiation-kit.ts';
import { agentOf, type Form, lookAll, type Shown } from './mcp-kit.ts';

/** Ann's client has forms, Bob's has none. */
export async function dinnerStory(isLegacy: boolean): Promise<void> {
  const [ann, bob] = await dinnerPair();
  const forms: Form[] = [];
  // Ann's client has forms: she submits each one as it is.
  const hers = await agentOf(ann, {
    isLegacy,
    person: (form) => {
      forms.push(form);
      const { properties, required = [] } = form.requestedSchema;
      return Object.fromEntries(required.map((name) => [name, properties[name]!.default!]));
    },
  });
  // Bob's has none: his agent asks him, and passes his words on.
  const his = await agentOf(bob, { isLegacy });
  const { id } = await hers.call<Shown>('negotiate', { address: bob.address, intent: 'Dinner on Friday' });
  await lookAll(his, hers);
  const asked = await hers.call<Shown>('show_negotiation', { id });
  expect(asked.waits_for_your_person).toMatchObject([{ kind: 'consent', call: 'answer_consent' }]);
  await hers.call('answer_consent', { id });
  await lookAll(his, hers);
  const proposed = await his.call<Shown>('answer_proposal', { id });
  expect(proposed.waits_for_your_person).toMatchObject([{ kind: 'proposal', call: 'answer_proposal' }]);
  await his.call('answer_proposal', { id, answer: 'confirm' });
  await hers.call('answer_proposal', { id });
  await lookAll(his, hers);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  expect(forms.map(({ requestedSchema: { properties } }) => Object.keys(properties))).toEqual([
    ['cuisine_preference', 'transport_mode'],
    ['answer', 'text'],
  ]);
  expect(forms[0]!.requestedSchema.properties['transport_mode']!.description).toContain('train');
  expect(forms[1]!.message).toContain('Dinner');
}
