// A process with a tool server that does not end by itself; it says which one it is, and waits to be killed.

import { mcpStdio } from '@parley/testkit/mcp-program';
import { systemClock } from '../../src/clock.ts';
import { Shares } from '../../src/concurrency-shares.ts';
import { McpClient } from '../../src/tools/mcp-client.ts';

const server = new McpClient({
  name: 'test',
  config: mcpStdio('stubborn'),
  clock: systemClock,
  room: new Shares({ own: 1 }),
  secret: () => Promise.resolve(undefined),
  callable: fetch,
  changed: () => {},
});
process.stdout.write((await server.call('pid', {}, new AbortController().signal)).text);
setInterval(() => {}, 1000);
