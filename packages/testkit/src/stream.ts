// A listener on the members' socket that remembers what it heard.

import type { StreamEvent, StreamFact } from '@parley/protocol';
import { WebSocket } from 'ws';
import type { Person } from './hub.ts';

export class Ear {
  readonly socket: WebSocket;
  readonly heard: StreamEvent[] = [];
  closeCode: number | undefined;
  private waiting: (() => void)[] = [];

  constructor(person: Pick<Person, 'url' | 'token'>, cursor?: string) {
    const url = new URL('/api/v1/socket', person.url.replace('http', 'ws'));
    if (cursor !== undefined) url.searchParams.set('cursor', cursor);
    this.socket = new WebSocket(url, { headers: { authorization: `Bearer ${person.token}` } });
    this.socket.on('message', (data: Buffer) => {
      this.heard.push(JSON.parse(data.toString()) as StreamEvent);
      this.stir();
    });
    this.socket.on('close', (code) => {
      this.closeCode = code;
      this.stir();
    });
    this.socket.on('error', () => this.stir());
  }

  private stir(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const wake of waiting) wake();
  }

  /** Waits for an event that fits; the test's own timeout is the limit. */
  async until<T>(look: (heard: StreamEvent[]) => T | undefined | false): Promise<T> {
    for (;;) {
      const found = look(this.heard);
      if (found !== undefined && found !== false) return found;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
  }

  ready(): Promise<string> {
    return this.until((heard) => heard.findLast((event) => event.type === 'ready')?.cursor);
  }

  fact<T extends StreamFact['type']>(
    type: T,
    which: (fact: Extract<StreamFact, { type: T }>) => boolean = () => true,
  ): Promise<Extract<StreamFact, { type: T }>> {
    return this.until((heard) =>
      heard.find(
        (event): event is Extract<StreamFact, { type: T }> => event.type === type && which(event as Extract<StreamFact, { type: T }>),
      ),
    );
  }

  closed(): Promise<number> {
    return this.until(() => this.closeCode);
  }

  facts(): StreamFact[] {
    return this.heard.filter((event): event is StreamFact => 'cursor' in event && event.type !== 'ready' && event.type !== 'reset');
  }

  close(): void {
    this.socket.close();
  }
}
