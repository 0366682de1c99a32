// The test server over streamable HTTP.

import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { TestTools } from './mcp-server.ts';

export interface McpHttp {
  url: string;
  tools: TestTools;
  /** The headers of each request. */
  headers: IncomingMessage['headers'][];
  stop(): Promise<void>;
}

export async function startMcpHttp(port = 0): Promise<McpHttp> {
  const tools = new TestTools();
  const headers: McpHttp['headers'] = [];
  const http: HttpServer = createServer((request, response) => {
    headers.push(request.headers);
    const handler = createMcpHandler(() =>
      tools.server({
        die: () => request.socket.destroy(),
        endless: () => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          const more = (): void => {
            if (!response.destroyed && response.write(`: ${'y'.repeat(1_000_000)}\n\n`)) setImmediate(more);
          };
          response.on('drain', more);
          more();
        },
      }),
    );
    const answer = async (): Promise<void> => {
      const body = request.method === 'POST' ? Buffer.concat((await request.toArray()) as Buffer[]) : null;
      const { method = 'GET', url = '/' } = request;
      const asked = new Request(`http://localhost${url}`, { method, headers: request.headers as Record<string, string>, body });
      const { status, headers: said, body: content } = await handler.fetch(asked);
      if (response.headersSent || response.destroyed) return;
      response.writeHead(status, Object.fromEntries(said));
      const reader = content?.getReader();
      for (let next = await reader?.read(); next && !next.done; next = await reader!.read()) response.write(next.value);
      response.end();
    };
    void answer();
  });
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve));
  const { port: listening } = http.address() as { port: number };
  return {
    url: `http://127.0.0.1:${listening}/mcp`,
    tools,
    headers,
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
