// The test server over streamable HTTP.

import type { IncomingMessage } from 'node:http';
import { type McpDoor, openMcpDoor } from './http-door.ts';
import { TestTools } from './test-server.ts';

export interface McpHttp extends McpDoor {
  tools: TestTools;
  /** The headers of each request. */
  headers: IncomingMessage['headers'][];
}

export async function startMcpHttp(port = 0): Promise<McpHttp> {
  const tools = new TestTools();
  const headers: McpHttp['headers'] = [];
  const door = await openMcpDoor((request, response) => {
    headers.push(request.headers);
    return tools.server({
      die: () => request.socket.destroy(),
      endless: () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const more = (): void => {
          if (!response.destroyed && response.write(`: ${'y'.repeat(1_000_000)}\n\n`)) setImmediate(more);
        };
        response.on('drain', more);
        more();
      },
    });
  }, port);
  return { ...door, tools, headers };
}
