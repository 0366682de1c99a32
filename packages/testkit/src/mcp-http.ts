// The test server over streamable HTTP.

import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { Readable } from 'node:stream';
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
    const url = `http://localhost${request.url}`;
    const body = request.method === 'POST' ? Readable.toWeb(request) : null;
    const asked = new Request(url, {
      method: request.method ?? 'GET',
      headers: request.headers as Record<string, string>,
      body,
      ...(body ? { duplex: 'half' } : {}),
    });
    const answer = async (): Promise<void> => {
      const { status, headers: said, body: content } = await handler.fetch(asked);
      if (response.headersSent || response.destroyed) return;
      response.writeHead(status, Object.fromEntries(said));
      if (content) Readable.fromWeb(content).pipe(response);
      else response.end();
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
