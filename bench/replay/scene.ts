// One thing that happens among a few people and agents in one place. A scene is played to its end at once; the archive is
// put into the order of time afterwards.

import type { Random } from '../../packages/testkit/src/trials.ts';
import type { Conversation, Event, Message } from './archive.ts';
import { slots } from './words.ts';

type Said = Partial<Pick<Message, 'thread' | 'replyTo' | 'kind' | 'on' | 'wants' | 'any' | 'part'>>;

export interface Company {
  place: Conversation;
  /** The person who begins the scene, and the other people in it. */
  who: string;
  others: readonly string[];
  /** Agents of the place that nobody is talking with there. */
  agents: readonly string[];
  /** All that are there, but for those that were asked to leave. */
  present: readonly string[];
  /** By role, of those that are there. */
  holders: Readonly<Record<string, readonly string[]>>;
}

export class Scene {
  readonly company: Company;
  readonly events: Event[] = [];
  /** Asked to leave in it. */
  readonly left: string[] = [];
  now: number;
  private readonly random: Random;
  private readonly nextId: () => string;

  constructor(company: Company, random: Random, now: number, nextId: () => string) {
    this.company = company;
    this.random = random;
    this.now = now;
    this.nextId = nextId;
  }

  chance(share: number): boolean {
    return this.random.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    return this.random.pick(items);
  }

  times(least: number, most: number): number[] {
    return Array.from({ length: least + this.random.int(most - least + 1) }, (_, i) => i);
  }

  text(phrases: readonly string[], agent = ''): string {
    return this.pick(phrases).replaceAll(/\{(\w+)\}/g, (_, slot: string) => (slot === 'agent' ? agent : this.pick(slots[slot]!)));
  }

  /** Seconds go by. */
  wait(least: number, most: number): this {
    this.now += Math.round(1000 * (least + this.random.next() * (most - least)));
    return this;
  }

  say(by: string, text: string, said: Said = {}): string {
    const id = this.nextId();
    this.events.push({ at: this.now, id, in: this.company.place.conversation, by, text, ...said });
    return id;
  }

  edit(id: string, text: string, wants: string[]): void {
    this.events.push({ at: this.now, edit: id, text, wants });
  }

  delete(id: string): void {
    this.events.push({ at: this.now, delete: id });
  }
}
