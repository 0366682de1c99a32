// Who takes part, and what whoever plays in it remembers: enough to try something that is nearly right.

import type { Random } from '@parley/testkit';
import type { Command } from '../../src/engine/command.ts';
import type { Someone } from './bare.ts';
import type { FloorModel } from './floor-model.ts';
import type { ModelTask } from './floor-moves.ts';

export interface Cast {
  owner: Someone;
  people: Someone[];
  agents: Someone[];
  channels: string[];
  dms: string[];
  /** A channel of few agents, so that now and then none of them is there. */
  small: { id: string; agents: Someone[] };
}

export const tokenOf = ({ by }: Pick<Command, 'by'>): string | undefined => ('operator' in by ? undefined : by.tokenId);

export class Scene {
  readonly cast: Cast;
  readonly random: Random;
  readonly model: FloorModel;
  readonly messages: { id: string; conversationId: string }[] = [];
  readonly sessions = new Map<string, number>();
  /** Idempotency keys given out so far. */
  keys = 0;
  private threads: string[] = [];

  constructor(cast: Cast, random: Random, model: FloorModel) {
    this.cast = cast;
    this.random = random;
    this.model = model;
  }

  remember(id: string, conversationId: string): void {
    this.messages.push({ id, conversationId });
    if (this.messages.length > 500) this.messages.splice(0, 250);
  }

  rememberThread(id: string): void {
    this.threads = [id, ...this.threads].slice(0, 20);
  }

  anyMessage(): { id: string; conversationId: string } | undefined {
    return this.messages.length > 0 ? this.random.pick(this.messages) : undefined;
  }

  anyTask(open: ModelTask[]): ModelTask | undefined {
    const { ended } = this.model;
    if (open.length > 0 && (ended.length === 0 || this.random.next() < 0.8)) return this.random.pick(open);
    return ended.length > 0 ? this.random.pick(ended) : undefined;
  }

  place(): string {
    const { random, cast, threads } = this;
    const { channels, dms } = cast;
    // As often in a channel as in all else.
    const n = random.int(2 * channels.length + dms.length + threads.length);
    return n < 2 * channels.length ? channels[n % channels.length]! : [...dms, ...threads][n - 2 * channels.length]!;
  }

  handle(): string {
    return this.random.pick(this.cast.agents).handle;
  }

  /** What an agent says: often it gives work on, to whoever comes to mind. */
  text(): string {
    const { random, cast } = this;
    switch (random.int(8)) {
      case 0:
        return 'still at it';
      case 1:
        return 'thanks';
      case 2:
        return `^${this.handle()} please look at this`;
      case 3:
        return `^${this.handle()} and ^${this.handle()} please`;
      case 4:
        return '^ANY take this';
      case 5:
        return '^ALL look';
      case 6:
        return `@${random.pick(cast.people).handle} see above`;
      default:
        return `^nobody${random.int(9)} help`;
    }
  }

  /** Its connection is gone, as the hub sees it. */
  hangUp(agent: Someone): Command {
    return { type: 'agent.disconnect', by: { operator: true }, agentId: agent.id, session: this.sessions.get(agent.id) ?? 1 };
  }
}
