import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PeerCallError } from '@parley/protocol';
import { expect, test } from 'vitest';
import { callsBy } from '../calls/own-host.ts';
import { answerCall } from '../calls/calls.ts';
import { listenForCalls, runningPeer } from './control-socket.ts';

const answering = callsBy((call, argument) =>
  call === 'people' ? Promise.resolve('here') : answerCall('own', {} as never, call, argument),
);

test.skipIf(process.platform === 'win32')(
  '[A2C-24] a running peer answers its own calls, and no word that every object knows',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'control-'));
    const stop = await listenForCalls(folder, answering);
    const calls = (await runningPeer(folder))!;
    expect(await calls.people()).toBe('here');
    for (const call of ['constructor', 'toString', '__proto__', 'nothing'] as const)
      await expect((calls as unknown as Record<string, () => Promise<unknown>>)[call]!()).rejects.toThrow(`A peer has no call ${call}.`);
    await expect(calls.sample()).rejects.toThrow(PeerCallError);
    await stop();
    await rm(folder, { recursive: true });
  },
);

test.skipIf(process.platform === 'win32')('[A2C-24] a command of another version gets the peer’s version and no answer', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'control-'));
  const stop = await listenForCalls(folder, answering);
  const socket = connect(join(folder, 'peer.sock'));
  socket.write(`parley-peer/1\n${JSON.stringify({ call: 'people', argument: null })}\n`);
  const [data] = (await once(socket, 'data')) as [Buffer];
  expect(data.toString()).toBe('parley-peer/2\n');
  await stop();
  await rm(folder, { recursive: true });
});
