import type { PromptCard } from '@parley/protocol';
import { expect, test } from 'vitest';
import { checkpointKinds, labelOn } from './checkpoint-texts.ts';

const card = (changes: object): PromptCard => ({
  kind: 'escalation',
  isSilent: false,
  isPaused: false,
  threadId: 'thr_1',
  peer: 'agent:bob@localhost',
  peerName: 'Bob',
  intent: 'dinner',
  question: null,
  conflict: null,
  alternatives: [],
  ...changes,
});

test.each([
  ['no time suits both', {}, 'Try other days'],
  ['its model gave no valid packet', { isPaused: true }, 'Try again'],
  ['their peer is silent', { isSilent: true }, 'Continue'],
])('[A2C-26] an escalation says how it goes on: %s', (_, changes, expected) => {
  const labels = Object.entries(checkpointKinds.escalation.choices).map(([choice, label]) => labelOn(card(changes), { choice, label }));
  expect(labels).toEqual([expected, 'End it']);
});
