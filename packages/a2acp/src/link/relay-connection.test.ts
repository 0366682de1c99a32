import { expect, test, vi } from 'vitest';
import { person } from '../../test/kit/line.ts';
import { LinkError, RelayConnection } from './relay-connection.ts';
import type { SocketEvents } from './sockets.ts';

/** A connection whose relay is the test itself. */
function openAlone(onDelivery: () => Promise<void>): { events: SocketEvents; isClosed: () => boolean; failure: Promise<unknown> } {
  let events!: SocketEvents;
  let isClosed = false;
  const close = (): void => {
    isClosed = true;
    events.onClose('closed');
  };
  const openSocket = (_: string, given: SocketEvents) => {
    events = given;
    return { send: () => {}, close };
  };
  const opening = RelayConnection.open({ url: 'ws://relay', openSocket, own: person('ann'), relay: undefined, onDelivery });
  return { events, isClosed: () => isClosed, failure: opening.catch((error: unknown) => error) };
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
