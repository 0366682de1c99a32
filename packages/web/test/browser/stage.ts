// A browser, a hub as people run it, and people and agents who meet there, for all tests of a suite.

import { type Ground, makeOnce } from '@parley/testkit';
import type { Browser } from 'playwright-core';
import { afterEach, beforeAll } from 'vitest';
import { HandAgent } from './hand-agent.ts';
import { HubProcess } from './hub-process.ts';
import { launchBrowser, Person } from './person.ts';

export const browserFor = (): Browser => makeOnce(launchBrowser, (browser) => browser.close());

/** With a test that fails goes what the hub said. */
export function hubProcessFor(engine: Ground['engine']): HubProcess {
  const hub = makeOnce(
    () => HubProcess.start(engine),
    (made) => made.clear(),
  );
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(`the hub said:\n${hub.log}`);
  });
  return hub;
}

/** Someone who has not joined yet. A fault in the console of their page fails the test it came in. */
export function visitorFor(browser: Browser): Person {
  const person = makeOnce(
    () => Person.at(browser),
    ({ context }) => context.close(),
  );
  afterEach(() => {
    const faults = person.faults.splice(0);
    if (faults.length > 0) throw new Error(`the console has: ${faults.join('\n')}`);
  });
  return person;
}

/** The first joins by the hub's own link, the others by an invitation of the first. */
export function peopleFor<N extends string[]>(browser: Browser, hub: HubProcess, ...names: N): { [K in keyof N]: Person } {
  const people = names.map(() => visitorFor(browser));
  beforeAll(async () => {
    for (const [i, person] of people.entries()) {
      const link = i === 0 ? hub.link : (await people[0]!.call<{ url: string }>('POST', '/invitations', { role: 'member' })).url;
      await person.join(link, names[i]!);
    }
  });
  return people as { [K in keyof N]: Person };
}

/** Offline until a test connects it. */
export const handAgentFor = (owner: Person, handle: string): HandAgent =>
  makeOnce(
    () => HandAgent.ownedBy(owner, handle),
    (agent) => Promise.resolve(agent.close()),
  );
