import type { PromptCard } from '@parley/protocol';
import { expect, test } from 'vitest';
import { consentWith, fieldValuesIn } from './consent-values.ts';

const field = (name: string, value: string | null) => ({ field: name, reason: null, value, choices: [], offersAlways: false });
const card: PromptCard = {
  kind: 'consent',
  threadId: 'thr_1',
  peer: 'agent:bob@localhost',
  peerName: 'Bob',
  intent: 'Dinner',
  fields: [field('dietary', 'vegan'), field('budget', null), field('area', null)],
};

test('[A2C-22] known values and typed ones are shared; a field without either is declined', () => {
  expect(consentWith(card, fieldValuesIn(['budget=20 a head=max']))).toEqual({
    kind: 'consent',
    fields: [
      { field: 'dietary', answer: 'share' },
      { field: 'budget', answer: 'share', value: '20 a head=max' },
    ],
  });
});

test.each([['budget'], ['=x'], ['budget=']])('[A2C-22] --value %s says how to write it', (text) => {
  expect(() => fieldValuesIn([text])).toThrow('write it as field=value');
});

test('[A2C-22] a value for a field that nobody asks for is refused, and so is one for another prompt', () => {
  expect(() => consentWith(card, { phone: '1' })).toThrow('nobody asks for it. They ask for dietary, budget, area.');
  expect(() => consentWith(null, { budget: '1' })).toThrow('--value is for an item that asks what to share.');
});
