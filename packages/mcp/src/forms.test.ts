import type { ConsentCard } from '@parley/protocol';
import { expect, test } from 'vitest';
import { consentForm, proposalForm } from './forms.ts';

test('[A2C-40] [A2C-26] the form shows the words that the agent would send instead', () => {
  const card = { peer: 'agent:bob@relay.example', summary: '', reasoning: '', details: {}, actions: [] };
  const { text } = proposalForm(card, { kind: 'different', text: 'Saturday 20:00' }).requestedSchema.properties;
  expect(text).toMatchObject({ default: 'Saturday 20:00', description: expect.stringContaining('“Saturday 20:00”') });
});

test('[A2C-40] [A2C-22] the form shows whole values in words, however long they are', () => {
  const windows = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20].map((n) => {
    const day = `2026-11-${String(n).padStart(2, '0')}`;
    return `${day}T09:00+00:00/${day}T17:00+00:00`;
  });
  const likes = Array.from({ length: 200 }, (_, n) => `dish ${n}`);
  const field = (name: string, value: unknown) => ({ field: name, reason: 'To plan', value, choices: [], offersAlways: false });
  const fields = [field('time_windows', windows), field('likes', likes)] as ConsentCard['fields'];
  const card = { peer: 'agent:bob@relay.example', intent: 'Dinner', fields };
  const { time_windows: times, likes: dishes } = consentForm(card, []).requestedSchema.properties;
  expect(times!.description!.match(/day \d+ November, \d\d:\d\d–\d\d:\d\d/g)).toHaveLength(10);
  expect(times!.description).toContain('. They say: “To plan”');
  expect(dishes!.description).toContain('dish 0, dish 1, ');
  expect(dishes!.description).toContain('dish 199. They say');
});
