// A NATS server on a free port, where there is one on the PATH.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

export async function startNats(folder: string): Promise<{ url: string; stop: () => Promise<void> } | undefined> {
  const port = await freePort();
  const server = spawn('nats-server', ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const isUp = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.stderr.on('data', (text: Buffer) => {
      if (text.includes('Server is ready')) resolve(true);
    });
    server.once('exit', () => resolve(false));
  });
  if (!isUp) return undefined;
  return {
    url: `nats://127.0.0.1:${port}`,
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill();
      await ended;
    },
  };
}
