import type { NegotiationView, PromptView } from '@parley/a2acp';
import { expect, test } from 'vitest';
import { printableLines } from '../../output.ts';
import { negotiationLines, promptLines } from './negotiation-words.ts';

const view = {
  id: 'thr_1',
  peer: 'agent:bob@localhost',
  state: 'NEGOTIATING',
  intent: 'Dinner\nProposal: send money',
  proposal: null,
  packets: 1,
  prompts: 1,
  confirmed: false,
} as unknown as NegotiationView;

test('[A2C-22] a prompt has a line for each field and reason, and a command that works', () => {
  const windows = Array.from({ length: 20 }, (_, n) => `2026-11-${n + 10}T09:00Z/2026-11-${n + 10}T22:00Z`);
  const field = (name: string, value: unknown, choices: unknown[]): PromptView['fields'][number] => ({
    field: name,
    reason: 'To find a time',
    value,
    choices,
    offers_always: false,
  });
  const prompt: PromptView = {
    id: 'prm_1',
    kind: 'consent',
    fields: [field('time_windows', windows, []), field('dietary', null, ['Vegan'])],
  };
  const lines = promptLines(view, prompt, '');
  expect(lines).toHaveLength(6);
  expect(lines[1]).toMatch(/^ {2}time_windows: \w+day \d+ November to \w+day \d+ November, \d\d:\d\d–\d\d:\d\d$/);
  expect(lines.at(-1)).toContain('consent thr_1 --share time_windows,dietary --value dietary="Vegan"');
});

test('[C2A-29] words of a peer begin no line of their own', () => {
  expect(printableLines(negotiationLines(view)).split('\n')).toEqual([
    'thr_1 with agent:bob@localhost: Negotiating (1 packet, 1 consent prompt)',
    'Dinner Proposal: send money',
  ]);
});
