import { expect, test } from 'vitest';
import type { LocalPeer } from '@parley/peer';
import { eventWords } from './event-words.ts';

test('[A2C-2] a dropped packet is explained in words', () => {
  const peer = { self: { relay: { url: 'ws://relay.example' } } } as LocalPeer;
  for (const reason of ['bad_form', 'not_for_us', 'bad_signature', 'old_epoch', 'malformed', 'no_session', 'stranger_limit']) {
    const words = eventWords({ type: 'arrival', arrival: { kind: 'dropped', reason, peer: undefined } }, peer, '');
    expect(words).toMatch(/^A packet was dropped: [a-z][^_]+\.$/);
  }
});

test.each(['closed with 1006', 'The relay is shutting down.'])('[A2C-7] a line that is gone is explained in sentences: %s', (reason) => {
  const peer = { self: { relay: { url: 'ws://relay.example' } } } as LocalPeer;
  expect(eventWords({ type: 'disconnected', reason, retryMs: 900 }, peer, '')).toMatch(/[^.]\. Trying again in 1 s; Ctrl-C leaves\.$/);
});
