import type { PromptCard } from '@parley/protocol';
import { expect, test } from 'vitest';
import { promptLines } from './peer-prompts.ts';

const about = { threadId: 'thr_000001', peer: 'agent:bob@localhost', peerName: 'Bob', intent: 'dinner' };
const action = { action: 'book', scope: 'own', by: null } as const;

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
      '- budget: no value known; share one with --value budget=…',
    ],
  ],
  [
    {
      kind: 'consent',
      ...about,
      fields: [
        {
          field: 'time_windows',
          reason: 'to find a time',
          value: ['2026-11-20T12:00:00+01:00/2026-11-20T12:30:00+01:00', '2026-11-20T13:00+01:00/2026-11-20T13:30+01:00'],
          choices: [],
          offersAlways: false,
        },
      ],
    },
    [
      'Bob (agent:bob@localhost) asks, for: dinner',
      '- time_windows, because: to find a time:',
      // In the zone of the machine that shows it.
      expect.stringMatching(/^ {2}\w+day \d\d November, \d\d:00–\d\d:30 and \d\d:00–\d\d:30$/) as string,
    ],
  ],
  [
    {
      kind: 'consent',
      ...about,
      fields: [
        {
          field: 'time_windows',
          reason: null,
          value: Array.from({ length: 14 }, (_, n) => `2026-11-${n + 10}T11:00Z/2026-11-${n + 10}T12:00Z`),
          choices: [],
          offersAlways: false,
        },
      ],
    },
    [
      'Bob (agent:bob@localhost) asks, for: dinner',
      '- time_windows:',
      expect.stringMatching(/^ {2}\w+day \d+ November to \w+day \d+ November, \d\d:\d\d–\d\d:\d\d$/) as string,
    ],
  ],
  [
    {
      kind: 'escalation',
      isSilent: false,
      ...about,
      isPaused: false,
      question: 'Try other days?',
      conflict: null,
      alternatives: [{ summary: 'Friday 18:00', reason: 'Possible if your busy time gives way' }],
    },
    [
      'Bob (agent:bob@localhost) and your peer need you, for: dinner',
      'Try other days?',
      'Or: Friday 18:00 (Possible if your busy time gives way)',
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
        { ...action, text: 'Add it to your calendar', reversible: true, own: true },
        { ...action, text: 'Send a message', reversible: false, own: false },
        { ...action, text: 'Run the action book', reversible: true, own: true, missing: true },
      ],
      conflict: 'Friday 20 November, 19:00–20:00',
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
      'Confirming does: Run the action book (your peer has no such action: it would fail)',
      'Your calendar has something else then: Friday 20 November, 19:00–20:00. Confirm anyway to keep both.',
    ],
  ],
  [
    { kind: 'key_change', peer: about.peer, peerName: 'Bob', alarm: 'The key changed.', safetyNumber: '12345 67890' },
    ['Bob (agent:bob@localhost): The key changed.', 'Safety number: 12345 67890'],
  ],
  [{ kind: 'stranger', ...about, requests: 1 }, ['agent:bob@localhost wants to negotiate: dinner']],
  [{ kind: 'stranger', ...about, requests: 3 }, ['agent:bob@localhost wants to negotiate: dinner', 'and has 2 more requests']],
])('[A2C-22] a prompt in the terminal: $kind', (card, lines) => {
  expect(promptLines(card)).toEqual(lines);
});
