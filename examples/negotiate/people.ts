// Ann and Bob with a running peer each, at one relay. Their commands go straight to the running peers, as those of a terminal do.

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runningPeer } from '@parley/peer/node';
import type { OpenPrompt, OwnNegotiation, OwnPeerCalls, PromptAnswer } from '@parley/protocol';
import { folder, parley, type Running, start } from '../sealed-line/kit.ts';

export interface Pair {
  ann: OwnPeerCalls;
  bob: OwnPeerCalls;
  /** Nobody has a line until the relay is started again. */
  stopRelay: () => Promise<void>;
  startRelay: () => Promise<void>;
  stop: () => Promise<void>;
}

export const [annAddress, bobAddress] = ['agent:ann@localhost', 'agent:bob@localhost'];

/** Both share their free time, diet and area with everybody. */
export async function twoPeople(): Promise<Pair> {
  let relay = await start<{ url: string }>('relay', '--port', '0');
  const { url } = relay.said;
  const running: Running<unknown>[] = [];
  const people: OwnPeerCalls[] = [];
  for (const name of ['ann', 'bob']) {
    const { person, run } = await startPerson(name, url);
    for (const field of ['dietary', 'location_preference']) await person.setTier({ field, tier: 'always_share' });
    running.unshift(run);
    people.push(person);
  }
  const [ann, bob] = people as [OwnPeerCalls, OwnPeerCalls];
  await exchangeCards(ann, bob);
  const stop = async (): Promise<void> => {
    for (const one of [...running, relay]) await one.stop();
  };
  const stopRelay = (): Promise<void> => relay.stop();
  const startRelay = async (): Promise<void> => {
    relay = await start('relay', '--port', new URL(url).port);
  };
  return { ann, bob, stopRelay, startRelay, stop };
}

/** A peer that is registered and runs; it shares free time with everybody. `relayFolder`: of a relay that has a folder of its own. */
export async function startPerson(
  name: string,
  relayUrl: string,
  ...relayFolder: string[]
): Promise<{ person: OwnPeerCalls; run: Running<unknown> }> {
  const { code } = await parley<{ code: string }>('relay', 'invite', ...relayFolder);
  await parley('peer', '--data', name, 'init', '--name', name, '--relay', relayUrl, '--code', code);
  const run = await start('peer', '--data', name, 'run');
  const person = (await runningPeer(join(folder, name)))!;
  await person.setField({ field: 'timezone', value: 'UTC' });
  await person.setTier({ field: 'time_windows', tier: 'always_share' });
  return { person, run };
}

/** How many events are in the calendar of a person. */
export async function eventsOf(name: string): Promise<number> {
  const text = await readFile(join(folder, name, 'calendar.ics'), 'utf8').catch(() => '');
  return text.match(/BEGIN:VEVENT/g)?.length ?? 0;
}

export async function exchangeCards(one: OwnPeerCalls, other: OwnPeerCalls): Promise<void> {
  await one.add({ card: (await other.me()).card! });
  await other.add({ card: (await one.me()).card! });
}

export async function arrange(person: OwnPeerCalls, address: string, intent: string): Promise<string> {
  return (await person.open({ with: { address }, intent })).threadId;
}

/** To the proposal, or to the prompt of this kind, that the negotiation waits for. */
export const answer = (person: OwnPeerCalls, promptId: string, given: PromptAnswer): Promise<unknown> =>
  person.answer({ promptId, answer: given });
export const confirm = (person: OwnPeerCalls, id: string): Promise<unknown> => answer(person, id, { kind: 'confirm' });

export const promptIn = <K extends OpenPrompt['kind']>({ openPrompts }: OwnNegotiation, kind: K) =>
  openPrompts.find((one) => one.kind === kind) as Extract<OpenPrompt, { kind: K }> | undefined;

export const reaches = (person: OwnPeerCalls, threadId: string, isReached: (shown: OwnNegotiation) => boolean): Promise<OwnNegotiation> =>
  until(() => person.negotiation({ threadId }).catch(() => undefined), isReached);

/** Looks again for at most a minute. */
export async function until<T>(look: () => Promise<T | undefined>, isReached: (shown: T) => boolean): Promise<T> {
  for (const end = Date.now() + 60_000; ;) {
    const shown = await look();
    if (shown !== undefined && isReached(shown)) return shown;
    assert.ok(Date.now() < end, `It does not go on: ${JSON.stringify(shown)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
