// An agent behind a webhook: a server, and the secret it shares with the hub.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AgentEvent } from '@parley/protocol';

export interface Posted {
  deliveryId: string;
  event: AgentEvent & { kind: string };
}

export class Endpoint {
  readonly secret = 'whsec-shared';
  came: { headers: IncomingMessage['headers']; body: string; delivery: Posted }[] = [];
  answer: (delivery: Posted, response: ServerResponse) => void = (_delivery, response) => response.end();
  private waiting: (() => void)[] = [];
  private readonly server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString('utf8');
      const delivery = JSON.parse(body) as Posted;
      this.came.push({ headers: request.headers, body, delivery });
      this.answer(delivery, response);
      for (const wake of this.waiting.splice(0)) wake();
    })();
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  events(kind: string): Posted[] {
    return this.came.map(({ delivery }) => delivery).filter(({ event }) => event.kind === kind);
  }

  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

export const say = (words: object) => (delivery: Posted, response: ServerResponse) =>
  response.end(delivery.event.kind === 'task' ? JSON.stringify(words) : '');
