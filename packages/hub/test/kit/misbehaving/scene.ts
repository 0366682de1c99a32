// Who takes part, and what whoever plays in it remembers: enough to try something that is nearly right.

import { defaultGlyphs } from '@parley/core';
import type { DeclareObligation } from '@parley/protocol';
import type { Random } from '@parley/testkit';
import type { Command } from '../../../src/engine/command.ts';
import type { Someone } from '../bare.ts';
import type { FloorModel } from '../judges/floor.ts';
import type { ModelTask } from '../judges/floor-moves.ts';

export interface Cast {
  owner: Someone;
  people: Someone[];
  agents: Someone[];
  channels: string[];
  dms: string[];
  /** A channel of few agents, so that now and then none of them is there. */
  small: { id: string; agents: Someone[] };
  /** Where agents may speak up. */
  open: string;
  /** Held by whoever the people think of. */
  role: { id: string; handle: string };
}

/** Everything; agents alone, and nothing but what they must not; or what agents do with each other, and people say of it. */
export type Play = 'all' | 'wrong' | 'contacts';

/** What an agent has before it when it tries something. */
export interface Try {
  scene: Scene;
  agent: Someone;
  open: ModelTask[];
  /** Its own; one of them, if it has any; any at all, mostly another's. */
  mine: ModelTask[];
  own: ModelTask | undefined;
  other: ModelTask | undefined;
}

export function say({ scene, agent }: Try, task: ModelTask | undefined, over: object = {}): Command {
  const kind = scene.random.pick(['progress', 'progress', 'progress', 'question', 'answer', 'answer'] as const);
  return { type: 'task.say', by: agent.by, taskId: task?.id ?? null, lease: task?.lease, kind, body: scene.text(), ...over };
}

/** And a person. */
export interface Doing {
  scene: Scene;
  person: Someone;
  open: ModelTask[];
  task: ModelTask | undefined;
  last: { id: string; conversationId: string } | undefined;
}

export const post = ({ scene, person }: Doing, body: string, over: object = {}): Command => ({
  type: 'message.post',
  by: person.by,
  conversationId: scene.place(),
  body,
  attachmentIds: [],
  ...over,
});
export const chance = ({ scene }: { scene: Scene }, of: number): boolean => scene.random.next() < of;

/** The nine that mean something, and one that does not. */
const glyphs: readonly string[] = [...Object.values(defaultGlyphs), '🎉'];

export const tokenOf = ({ by }: Pick<Command, 'by'>): string | undefined => ('tokenId' in by ? by.tokenId : undefined);

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

  /** Said where agents may speak up, not long ago: it may go round. */
  goingRound(): string | undefined {
    const said = this.messages.filter(({ conversationId }) => conversationId === this.cast.open).slice(-10);
    return said.length > 0 ? this.random.pick(said).id : undefined;
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

  anyObligation(): string | undefined {
    const { someObligations } = this.model.attention;
    return someObligations.length > 0 ? this.random.pick(someObligations) : undefined;
  }

  glyph(): string {
    return this.random.pick(glyphs);
  }

  /** Somebody cannot go on without the answer. */
  obligation(): DeclareObligation {
    const { random, cast } = this;
    const delegate = random.next() < 0.3 ? { delegateId: random.pick([...cast.people, ...cast.agents]).id } : {};
    return { blocks: 'halted', defaultAction: 'go on without', intervalMs: (1 + random.int(20)) * 60_000, ...delegate };
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
