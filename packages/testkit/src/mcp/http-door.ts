// The HTTP side of a tool server on this machine: streamable HTTP on a free port of the loopback address.

import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';

export interface McpDoor {
  url: string;
  stop(): Promise<void>;
}

/** `make`: the server that answers a request. */
export async function openMcpDoor(make: (request: IncomingMessage, response: ServerResponse) => McpServer, port = 0): Promise<McpDoor> {
  const http: HttpServer = createServer((request, response) => {
    const handler = createMcpHandler(() => make(request, response));
    const answer = async (): Promise<void> => {
      const body = request.method === 'POST' ? Buffer.concat((await request.toArray()) as Buffer[]) : null;
      const { method = 'GET', url = '/' } = request;
      const webRequest = new Request(`http://localhost${url}`, { method, headers: request.headers as Record<string, string>, body });
      const { status, headers: said, body: content } = await handler.fetch(webRequest);
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
    stop: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
}
