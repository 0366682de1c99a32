import { expect, test } from 'vitest';
import { mayCallAll } from './call-all.ts';

test.each<[string, 'human' | 'agent', number, number | undefined, string | undefined]>([
  ['[PAP-3] a person, ten', 'human', 10, undefined, undefined],
  ['[PAP-3] a person, eleven', 'human', 11, undefined, 'confirm_all'],
  ['[PAP-3] a person, eleven, and ten confirmed', 'human', 11, 10, 'confirm_all'],
  ['[PAP-3] a person, eleven, and all confirmed', 'human', 11, 11, undefined],
  ['[C2A-33] an agent, two', 'agent', 2, undefined, 'one_responder'],
  ['[C2A-33] an agent, one', 'agent', 1, undefined, 'one_responder'],
  ['[C2A-33] an agent that confirms', 'agent', 11, 11, 'one_responder'],
])('%s', (_, author, agents, confirmed, reason) => {
  expect(mayCallAll(author, agents, confirmed, 10)).toEqual(reason === undefined ? { ok: true } : { ok: false, reason });
});
