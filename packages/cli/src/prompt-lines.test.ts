import type { PromptCard } from '@parley/protocol';
import { expect, test } from 'vitest';
import { promptLines } from './prompt-lines.ts';

const about = { threadId: 'thr_000001', peer: 'agent:bob@localhost', peerName: 'Bob', intent: 'dinner' };

test.each<[PromptCard, string[]]>([
  [
    {
      kind: 'consent',
      ...about,
      fields: [
        { field: 'area', reason: 'to find a place', value: 'Soho', choices: [], offersAlways: false },
        { field: 'budget', reason: null, value: null, choices: [], offersAlways: false },
      ],
    },
    [
      'Bob (agent:bob@localhost) asks, for: dinner',
      '- area: Soho, because: to find a place',
      '- budget: no value known, so one tap cannot share it',
    ],
  ],
  [
    {
      kind: 'proposal',
      ...about,
      summary: 'Dinner on Friday',
      details: { dietary: 'x'.repeat(300), start: '2026-11-20T19:00:00Z', location: 'Dopo' },
      alternatives: [{ summary: 'Saturday', reason: null }],
      reasoning: 'Both are free',
      actions: [
        { text: 'Add it to your calendar', reversible: true, own: true },
        { text: 'Send a message', reversible: false, own: false },
      ],
      until: null,
      reminded: false,
    },
    [
      'Bob (agent:bob@localhost) and your peer propose: Dinner on Friday',
      '- start: 2026-11-20T19:00:00Z',
      '- location: Dopo',
      `- dietary: ${'x'.repeat(199)}…`,
      'Why: Both are free',
      'Or: Saturday',
      'Confirming does: Add it to your calendar',
      'Confirming does: Send a message (cannot be undone)',
    ],
  ],
  [
    { kind: 'key_change', peer: about.peer, peerName: 'Bob', alarm: 'The key changed.', safetyNumber: '12345 67890' },
    ['Bob (agent:bob@localhost): The key changed.', 'Safety number: 12345 67890'],
  ],
  [{ kind: 'stranger', ...about }, ['agent:bob@localhost wants to negotiate: dinner']],
])('[A2C-22] a prompt in the terminal: $kind', (card, lines) => {
  expect(promptLines(card)).toEqual(lines);
});
