import type { Explanation } from '@parley/protocol';
import { expect, test } from 'vitest';
import { whyHeadline } from './why-headline.ts';

type Verdict = Explanation['agents'][number];
const verdict = (handle: string, policy: Verdict['policy'], outcome: Verdict['outcome'] = 'forbidden'): Verdict => ({
  agentId: handle,
  handle,
  policy,
  mode: 'buffered',
  reason: 'mention',
  text: '',
  asked: null,
  assignedBy: null,
  outcome,
  cause: null,
  task: null,
  problems: [],
});

test.each([
  ['[PAP-2]', [verdict('ORAC', 'must_respond')], 3, '^ORAC was woken. 3 agents stayed quiet.'],
  ['[PAP-2]', [verdict('ORAC', 'must_respond'), verdict('STEF', 'must_respond')], 0, '^ORAC and ^STEF were woken.'],
  ['[PAP-6]', [], 4, 'Nobody was woken. 4 agents stayed quiet.'],
  ['[PAP-6]', [verdict('ORAC', 'must_not_respond')], 0, 'Nobody was woken. 1 agent stayed quiet.'],
  [
    '[C2A-34]',
    [verdict('ORAC', 'must_respond', 'answered'), verdict('STEF', 'must_respond', 'not_needed')],
    1,
    '^ORAC was woken; ^STEF was not needed. 1 agent stayed quiet.',
  ],
  ['', [verdict('ORAC', 'may_respond')], 1, 'Nobody was called; ^ORAC could have answered. 1 agent stayed quiet.'],
  ['', [], 0, 'There is no agent here to wake.'],
] as const)('%s %#', (_rule, agents, quiet, sentence) => {
  expect(whyHeadline({ agents: [...agents], quiet })).toBe(sentence);
});
