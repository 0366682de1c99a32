// A relay as a process of its own, so that SIGKILL hits the process that holds the database. It starts on a line from the parent.

import module from 'node:module';
import { pino } from 'pino';
import { readRelayConfig, serveRelay } from '../../src/index.ts';

module.flushCompileCache();
process.stdin.on('end', () => process.exit());
process.stdin.once('data', () => {
  void (async () => {
    const config = readRelayConfig(process.env);
    // A sender goes on while the relay of a recipient is dead, so the queue's length is the only limit.
    const bounds = { ...config.bounds, perPair: Math.max(config.bounds.perPair, config.bounds.perTag) };
    const { url } = await serveRelay({ ...config, bounds }, pino({ level: 'error' }, pino.destination(2)));
    process.stdout.write(`${JSON.stringify({ url })}\n`);
  })();
});
