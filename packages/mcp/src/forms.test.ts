import type { NegotiationView } from '@parley/a2acp';
import { expect, test } from 'vitest';
import { proposalForm } from './forms.ts';

test('[A2C-40] [A2C-26] the form shows the words that the agent would send instead', () => {
  const view = { peer: 'agent:bob@relay.example', proposal: null } as NegotiationView;
  const { text } = proposalForm(view, { kind: 'different', text: 'Saturday 20:00' }).requestedSchema.properties;
  expect(text).toMatchObject({ default: 'Saturday 20:00', description: expect.stringContaining('“Saturday 20:00”') });
});
