import { expect, test, vi } from 'vitest';
import { challengeToSign, type Greeting, toBase64Url } from '@parley/protocol/relay';
import { person } from '../../test/kit/line.ts';
import { newSigningKey, randomBytes, signBytes, type SigningKey } from '../seal/sodium.ts';
import { LinkError, RelayConnection, type SocketEvents } from './relay-connection.ts';

interface LonelyConnection {
  events: SocketEvents;
  sent: { type: string; nonce: string }[];
  isClosed: () => boolean;
  failure: Promise<unknown>;
}

/** A connection whose relay is the test itself. */
function openAlone(onDelivery: () => Promise<void>): LonelyConnection {
  let events!: SocketEvents;
  const sent: LonelyConnection['sent'] = [];
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    events.onClose('closed');
  };
  const openSocket = (_: string, given: SocketEvents) => {
    events = given;
    return { send: (data: string | Uint8Array) => void sent.push(JSON.parse(String(data)) as (typeof sent)[number]), close };
  };
  const opening = RelayConnection.open({ url: 'ws://relay', openSocket, own: person('ann'), relay: undefined, onDelivery });
  return { events, sent, isClosed: () => isClosed, failure: opening.catch((error: unknown) => error) };
}

test('[A2C-7] a relay that does not answer for 30 seconds counts as gone', async () => {
  vi.useFakeTimers();
  try {
    const { events, isClosed, failure } = openAlone(async () => {});
    events.onOpen();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await failure).toEqual(new LinkError('The relay has not answered for 30 seconds.'));
    expect(isClosed()).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

const relayKey = newSigningKey();

/** The answer to a `hello`, in the name of the relay. */
function challengeBy(signer: SigningKey, clientNonce: string): string {
  const [nonce, key] = [toBase64Url(randomBytes(32)), toBase64Url(relayKey.public)];
  const greeting: Greeting = { relay: 'localhost', relay_key: key, nonce, client_nonce: clientNonce };
  const signature = toBase64Url(signBytes(signer.secret, challengeToSign(greeting, 1)));
  return JSON.stringify({ type: 'challenge', version: 1, relay: 'localhost', key, nonce, signature });
}

test.each([
  ['signed by another key', (nonce: string) => challengeBy(newSigningKey(), nonce)],
  ['recorded at another login', () => challengeBy(relayKey, toBase64Url(randomBytes(32)))],
])('[A2C-1] a relay whose challenge is %s gets no login', async (_, challenge) => {
  const { events, sent, isClosed, failure } = openAlone(async () => {});
  events.onOpen();
  await vi.waitUntil(() => sent.length === 1);
  events.onText(challenge(sent[0]!.nonce));
  expect(await failure).toEqual(new LinkError('The relay does not hold the key it names.'));
  expect([sent.map(({ type }) => type), isClosed()]).toEqual([['hello'], true]);
});

test('[A2C-1] the challenge of the relay itself gets one', async () => {
  const { events, sent } = openAlone(async () => {});
  events.onOpen();
  await vi.waitUntil(() => sent.length === 1);
  events.onText(challengeBy(relayKey, sent[0]!.nonce));
  await vi.waitUntil(() => sent.length === 2);
  expect(sent[1]).toMatchObject({ type: 'login' });
  events.onClose('over');
});

test('[A2C-9] a relay that sends on without acknowledgements is left before its frames fill the memory', async () => {
  const { events, isClosed, failure } = openAlone(() => new Promise(() => {}));
  events.onOpen();
  const frame = new Uint8Array(64 * 1024);
  for (let n = 0; n < 256; n += 1) events.onBytes(frame);
  expect(isClosed()).toBe(false);
  for (let n = 0; n < 256; n += 1) events.onBytes(frame);
  expect(isClosed()).toBe(true);
  expect(await failure).toMatchObject({ message: expect.stringContaining('sends more than') });
});
