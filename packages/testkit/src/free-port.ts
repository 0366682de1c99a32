import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * For programs that cannot say which port they got. Below the ports from which systems take those of outgoing connections,
 * one of which could have it before the program does.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(12_000, 32_000);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
