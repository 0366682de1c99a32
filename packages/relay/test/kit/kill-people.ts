// People who write to each other without a break, and connect again to any of several relays whenever their connection ends.

import type { Random } from '@parley/testkit';
import { RelayClient, type RelayIdentity } from '@parley/testkit/relay';
import { expect } from 'vitest';
import { Reader, Writer } from './kill-load.ts';

/** The address of a relay that should be up, for somebody. */
type Url = (who: RelayIdentity) => Promise<string>;

export class BusyPeople {
  /** What the relays said that they have stored. */
  stored = 0;
  failure: unknown;
  private readonly people: readonly RelayIdentity[];
  readonly writers: readonly Writer[];
  readonly readers: readonly Reader[];
  private readonly waiting: { count: number; resolve: () => void }[] = [];
  readonly random: Random;
  private isOver = false;

  constructor(people: readonly RelayIdentity[], random: Random) {
    this.people = people;
    this.random = random;
    this.writers = people.map(
      (who) =>
        new Writer(
          who,
          people.filter((other) => other !== who),
        ),
    );
    this.readers = people.map((who) => new Reader(who, random));
  }

  begin(url: Url): void {
    for (const index of this.people.keys()) this.live(index, url).catch((error: unknown) => (this.failure ??= error));
  }

  end(): void {
    this.isOver = true;
  }

  /** Resolves when so many more packets are stored. */
  more(count: number): Promise<void> {
    return new Promise((resolve) => this.waiting.push({ count: this.stored + count, resolve }));
  }

  private async live(index: number, url: Url): Promise<void> {
    while (!this.isOver) {
      const client = await this.logIn(this.people[index]!, url);
      client.socket.on('error', () => {});
      this.readers[index]!.run(client);
      this.writers[index]!.run(
        client,
        () => this.onStored(),
        (error) => (this.failure ??= error),
      );
      await client.untilClosed();
    }
  }

  private async logIn(who: RelayIdentity, url: Url): Promise<RelayClient> {
    for (;;) {
      try {
        const client = await RelayClient.connect(await url(who));
        const answer = await client.login(who);
        if (answer.type === 'ready') return client;
        client.socket.terminate();
        if (answer.type !== 'refused' || answer.code !== 'disk_full') this.failure ??= new Error(`not admitted: ${JSON.stringify(answer)}`);
      } catch {
        // The relay died meanwhile.
      }
    }
  }

  private onStored(): void {
    this.stored += 1;
    for (const one of this.waiting) if (this.stored >= one.count) one.resolve();
  }
}

/** Nothing stored is lost, nothing comes twice to an application, and the order of each pair is kept. */
export async function mustHaveAll(people: BusyPeople): Promise<void> {
  const { writers, readers, random } = people;
  for (const writer of writers) writer.finish();
  await expect.poll(() => writers.every(({ isDone }) => isDone)).toBe(true);
  for (const reader of readers) {
    const sent = writers
      .filter(({ who }) => who !== reader.who)
      .map(({ who, stored }) => [who.address, stored.get(reader.who.address) ?? 0]);
    await expect
      .poll(() => Object.fromEntries([...reader.got].map(([from, numbers]) => [from, numbers.length])))
      .toEqual(Object.fromEntries(sent));
    for (const [from, numbers] of reader.got)
      expect(numbers, `${from} to ${reader.who.address}, seed ${random.seed}`).toEqual(numbers.map((_, number) => number));
  }
  expect(people.failure).toBeUndefined();
}
