import { pointedAt } from '@parley/core';
import { NoticeKind } from '@parley/protocol';
import { expect, test } from 'vitest';
import { notice } from '../../test/fixtures.ts';
import { noticeSentence } from './notice-words.ts';

const say = (extra: Parameters<typeof notice>[1], written: string | null = '^ORCA') =>
  noticeSentence(notice(1, extra), { agents: ['ORAC'], member: () => 'Ben', written });

test.each([
  ['PAP-18', { kind: 'unknown_handle' }, 'Nobody here is called ^ORCA, so that name reached nobody.'],
  ['PAP-18', { kind: 'unknown_handle', reason: 'look_alike' }, '^ORCA contains a character that no handle has, so it calls nobody.'],
  ['PAP-18', { kind: 'unknown_handle', reason: 'quoted' }, '^ORCA is inside quotation marks, so it calls nobody.'],
  ['PAP-18', { kind: 'unknown_handle', reason: 'indented' }, '^ORCA is in an indented line, which is code, so it calls nobody.'],
  ['PAP-18', { kind: 'not_here' }, 'Ben was not in this conversation and did not get this.'],
  ['PAP-17', { kind: 'agent_offline' }, '^ORAC is offline. It gets this when it comes back.'],
  ['C2A-34', { kind: 'nobody_holds' }, 'Nobody here holds ^ORCA, so that name reached nobody.'],
  ['C2A-15', { kind: 'nobody_took_it' }, 'No agent took this: every agent that could has passed.'],
  ['PAP-4', { kind: 'nobody_available' }, 'No agent here can take this now. It waits for the first that can.'],
  ['PAP-8', { kind: 'task_timed_out', reason: 'run_time' }, '^ORAC ran out of time.'],
  ['PAP-17', { kind: 'task_timed_out', reason: 'offline' }, '^ORAC ran out of time. It was offline and did not come back.'],
  ['PAP-14', { kind: 'task_failed', reason: 'brain_failed' }, '^ORAC failed because of an error on its side.'],
  [
    'PAP-14',
    { kind: 'task_failed', reason: 'Rate limit exceeded (anthropic, 429)' },
    '^ORAC failed. Rate limit exceeded (anthropic, 429).',
  ],
  ['PAP-15', { kind: 'task_stopped' }, '^ORAC was stopped.'],
  ['SYS-14', { kind: 'agent_given' }, 'Ben is now the owner of ^ORAC, and you are not.'],
  ['SYS-11', { kind: 'token_created' }, 'Ben made a token for your agent ^ORAC. Its holder acts as the agent.'],
  ['C2A-14', { kind: 'nothing_to_answer' }, 'The message asks for nothing, so ^ORAC was not woken.'],
  ['C2A-16', { kind: 'task_stopped', reason: 'asked_to_leave' }, '^ORAC was asked to leave, and stopped.'],
  ['C2A-22', { kind: 'agent_signalled', reason: 'blocked' }, '^ORAC is blocked and waiting for something from you. Reply to continue.'],
  ['C2A-22', { kind: 'agent_signalled', reason: 'unclear' }, '^ORAC did not understand what you mean. Say more to continue.'],
  [
    'PAP-12',
    { kind: 'not_delegated', reason: 'circular' },
    'Nothing was delegated: ^ORAC is already in this chain, so it was not asked again.',
  ],
  [
    'PAP-11',
    { kind: 'not_delegated', reason: 'too_deep' },
    'Nothing was delegated: the chain has reached its maximum depth, so ^ORAC was not asked.',
  ],
  [
    'PAP-14',
    { kind: 'invocation_failed', reason: 'timed_out', invocationId: 'inv_1' },
    'Your event woke ^ORAC, which failed: it ran for too long. `npx parley invocations show inv_1` shows more.',
  ],
  [
    'PAP-14',
    { kind: 'invocation_failed', reason: 'failed', invocationId: 'inv_1', error: 'There is no key called openai.\nAll is well\u202E.' },
    'Your event woke ^ORAC, which failed: “There is no key called openai. All is well\\u{202e}.” `npx parley invocations show inv_1` shows more.',
  ],
  [
    'PRV-11',
    { kind: 'invocation_failed', reason: 'expired', invocationId: 'inv_1' },
    'Your event woke ^ORAC, which failed: nobody approved it in time. `npx parley invocations show inv_1` shows more.',
  ],
  ['C2A-31', { kind: 'obligation_due' }, 'Ben is waiting for your reply.'],
  ['IAC-12', { kind: 'not_delegated', reason: 'not_permitted' }, 'Nothing was delegated: it may not contact ^ORAC.'],
  [
    'IAC-14',
    { kind: 'not_delegated', reason: 'needs_approval' },
    'Nothing was delegated: contacting ^ORAC needs a person’s approval, which the agent requests with contact_agent.',
  ],
  ['C2A-33', { kind: 'not_delegated', reason: 'one_responder' }, 'Nothing was delegated: it called ^ALL or ^ANY, which only people can.'],
] as const)('[%s] %j', (_rule, extra, sentence) => {
  expect(say(extra)).toBe(sentence);
});

test('every kind has a sentence of its own, and one this page does not know yet says so', () => {
  const unknown = say({ kind: 'something_new' as never }, null);
  expect(unknown).toBe('This notice is newer than the page. Reload the page to read it.');
  const sentences = NoticeKind.options.map((kind) => say({ kind }, null));
  for (const sentence of sentences) expect(sentence).toMatch(/^\S.*\.$/);
  expect(sentences).not.toContain(unknown);
});

test('[PAP-18] a notice points into its message only while the name still stands there', () => {
  const at = notice(1, { start: 3, end: 8 });
  expect(pointedAt(at, 'hm ^ORCA, hi')).toBe('^ORCA');
  expect(pointedAt(at, 'edited since, differently')).toBeNull();
  expect(pointedAt(at, null)).toBeNull();
  expect(pointedAt(notice(1), 'hm ^ORCA')).toBeNull();
});

test('[PAP-17] several that are offline are told of as one', () => {
  const names = { agents: ['A', 'B', 'C'], member: () => '', written: null };
  expect(noticeSentence(notice(1, { kind: 'agent_offline' }), names)).toBe('^A, ^B and ^C are offline. They get this when they come back.');
});

test('of several agents every sentence speaks in the plural, and without a name in the middle of a sentence', () => {
  const told = (agents: string[], kind: NoticeKind, reason: string | null = null) =>
    noticeSentence(notice(1, { kind, reason }), { agents, member: () => 'Ben', written: null });
  for (const kind of NoticeKind.options) expect(told(['A', 'B'], kind)).not.toMatch(/\^B (?:was|is|has|waits)\b/);
  for (const kind of NoticeKind.options) expect(told([], kind)).not.toMatch(/\S An agent/);
});
