// The test server as a program. `stubborn` as an argument: it does not end when its input does, nor when it is asked to.

import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { TestTools } from './test-server.ts';

if (process.argv.includes('stubborn')) {
  process.on('SIGTERM', () => {});
  setInterval(() => {}, 1000);
}
if (process.argv.includes('broken')) {
  process.stderr.write('cannot find my files\n');
  process.exit(3);
}
const server = new TestTools().server({
  die: () => process.exit(1),
  garbage: () => process.stdout.write('hello, this is no message\n{"jsonrpc":"2.0"}\n'),
  endless: () => setInterval(() => process.stdout.write('y'.repeat(1_000_000)), 1),
});
await server.connect(new StdioServerTransport());
