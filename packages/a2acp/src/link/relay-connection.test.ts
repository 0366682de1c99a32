import { expect, test, vi } from 'vitest';
import { person } from '../../test/kit/line.ts';
import { LinkError, RelayConnection } from './relay-connection.ts';
import type { SocketEvents } from './sockets.ts';

test('[A2C-7] a relay that does not answer for 30 seconds counts as gone', async () => {
  vi.useFakeTimers();
  try {
    let events!: SocketEvents;
    let isClosed = false;
    const opening = RelayConnection.open({
      url: 'ws://relay',
      openSocket: (_, given) => {
        events = given;
        return { send: () => {}, close: () => (isClosed = true) };
      },
      own: person('ann'),
      relay: undefined,
      onDelivery: async () => {},
    });
    const failure = opening.catch((error: unknown) => error);
    events.onOpen();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await failure).toEqual(new LinkError('The relay has not answered for 30 seconds.'));
    expect(isClosed).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});
