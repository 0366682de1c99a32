import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { PeerCommands } from './commands.ts';
import { listenForCommands } from './control-socket.ts';

test.skipIf(process.platform === 'win32')(
  '[A2C-24] a running peer answers its own commands, and no word that every object knows',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'control-'));
    const stop = await listenForCommands(folder, { status: () => Promise.resolve('here') } as unknown as PeerCommands);
    const ask = async (command: string): Promise<unknown> => {
      const socket = connect(join(folder, 'peer.sock'));
      socket.write(`${JSON.stringify({ command, argument: 'x' })}\n`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      return JSON.parse(data.toString());
    };
    expect(await ask('status')).toEqual({ result: 'here' });
    for (const command of ['constructor', 'toString', '__proto__', 'nothing'])
      expect(await ask(command)).toEqual({ error: { code: 'failed', message: `The peer has no command ${command}.` } });
    await stop();
    await rm(folder, { recursive: true });
  },
);
