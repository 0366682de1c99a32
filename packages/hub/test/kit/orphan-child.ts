// A process with a tool server that does not end by itself; it says which one it is, and waits to be killed.

import { mcpStdio } from '@parley/testkit/mcp-program';
import { systemClock } from '../../src/clock.ts';
import { Shares } from '../../src/concurrency-shares.ts';
import { McpClient } from '../../src/tools/mcp-client.ts';

const server = new McpClient({
  name: 'test',
  config: mcpStdio('stubborn'),
  clock: systemClock,
  callSlots: new Shares({ own: 1 }),
  readSecret: () => Promise.resolve(undefined),
  outbound: fetch,
  onChange: () => {},
});
process.stdout.write((await server.call('pid', {}, new AbortController().signal)).text);
setInterval(() => {}, 1000);
