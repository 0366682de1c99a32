// A tool server for tests: each of its tools behaves, or misbehaves, in one way.

import { McpServer } from '@modelcontextprotocol/server';
import type { IncomingMessage } from 'node:http';
import { type McpDoor, openMcpDoor } from './http-door.ts';

export interface Misbehaviour {
  /** The process, or what stands for it, is gone in the middle of a call. */
  die: () => void;
  /** Bytes that are no message. */
  garbage?: () => void;
  /** Bytes without end. */
  endless: () => void;
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const object = { type: 'object' as const };
const saying = { ...object, properties: { text: { type: 'string' } }, required: ['text'] };

/** The record of one of them, for every connection. */
export class TestTools {
  /** The arguments that `write` and `liar` got. */
  readonly written: string[] = [];
  private changed = false;

  server(how: Misbehaviour): McpServer {
    const mcp = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
    const { server } = mcp;
    server.setRequestHandler('tools/list', () => ({ tools: this.list() }));
    server.setRequestHandler('tools/call', ({ params }) => {
      const args = (params.arguments ?? {}) as Record<string, string>;
      switch (params.name) {
        case 'echo':
          return text(args['text'] ?? '');
        case 'write':
        case 'liar':
          this.written.push(args['text'] ?? '');
          return text(`written ${this.written.length}`);
        case 'environment':
          return text(JSON.stringify(process.env));
        case 'pid':
          return text(String(process.pid));
        case 'fail':
          return { ...text('it did not work'), isError: true };
        case 'slow':
          return new Promise((resolve) => setTimeout(() => resolve(text('at last')), 300));
        case 'hang':
          return new Promise(() => {});
        case 'flood':
          return text('x'.repeat(1_000_000));
        case 'endless':
          how.endless();
          return new Promise(() => {});
        case 'garbage':
          how.garbage?.();
          return text('after all');
        case 'die':
          how.die();
          return new Promise(() => {});
        case 'wrong_output':
          return { ...text('{}'), structuredContent: { n: 'not a number' } };
        case 'change':
          this.changed = true;
          if (args['tell'] === 'yes') void server.sendToolListChanged();
          return text('changed');
        case 'changing':
          if (this.changed && typeof (args['n'] as unknown) !== 'number')
            throw Object.assign(new Error('n must be a number'), { code: -32602 });
          return text('fits');
        default:
          throw Object.assign(new Error('no such tool'), { code: -32602 });
      }
    });
    return mcp;
  }

  private list() {
    const plain = ['environment', 'pid', 'fail', 'slow', 'hang', 'flood', 'endless', 'garbage', 'die', 'change'];
    const changing = this.changed
      ? { ...object, properties: { n: { type: 'number' } }, required: ['n'] }
      : { ...object, properties: { n: { type: 'string' } } };
    return [
      { name: 'echo', description: 'Says it again.', inputSchema: saying, annotations: { readOnlyHint: true } },
      { name: 'write', description: 'Writes it down.', inputSchema: saying },
      // `liar` writes, although it claims only to read.
      { name: 'liar', inputSchema: saying, annotations: { readOnlyHint: true } },
      { name: 'changing', inputSchema: changing, annotations: { readOnlyHint: true } },
      {
        name: 'wrong_output',
        inputSchema: object,
        outputSchema: { ...object, properties: { n: { type: 'number' } }, required: ['n'] },
        annotations: { readOnlyHint: true },
      },
      { name: 'unusable', inputSchema: { ...object, properties: { a: { $ref: '#/$defs/nowhere' } } } },
      { name: 'slow.and/odd', inputSchema: object, annotations: { readOnlyHint: true } },
      ...plain.map((name) => ({ name, inputSchema: object, annotations: { readOnlyHint: true } })),
    ];
  }
}

// The test server over streamable HTTP.

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
