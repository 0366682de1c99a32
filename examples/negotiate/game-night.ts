// Ann arranges a game night with Bob, Cem and Dan; three of the four are enough. Dan declines, so the night takes place without him.
// The example checks that all four have one outcome, that nothing happened before it, and that only the three have the event.

import assert from 'node:assert/strict';
import { cleanUp, type Running, start } from '../sealed-line/kit.ts';
import type { OwnNegotiation, OwnPeerCalls } from '@parley/protocol';
import { answer, confirm, eventsOf, exchangeCards, reaches, startPerson } from './people.ts';

const names = ['ann', 'bob', 'cem', 'dan'];

try {
  const relay = await start<{ url: string }>('relay', '--port', '0');
  const running: Running<unknown>[] = [relay];
  const people: OwnPeerCalls[] = [];
  for (const name of names) {
    const { person, run } = await startPerson(name, relay.said.url);
    running.unshift(run);
    people.push(person);
  }
  const [ann, bob, cem, dan] = people as [OwnPeerCalls, OwnPeerCalls, OwnPeerCalls, OwnPeerCalls];
  for (const member of [bob, cem, dan]) await exchangeCards(ann, member);

  const others = names.slice(1).map((name) => ({ address: `agent:${name}@localhost` }));
  const { threadId: id } = await ann.open({ with: others, intent: 'Game night on Friday', group: { quorum: 3 } });
  const proposed = await Promise.all(people.map((person) => reaches(person, id, ({ state }) => state === 'PROPOSED')));
  console.log(`proposed to ${proposed.length}: ${proposed[0]!.proposal!.summary}`);
  console.log(`because: ${proposed[0]!.proposal!.reasoning}`);
  assert.equal(new Set(proposed.map(({ proposal }) => proposal!.hash)).size, 1);

  await answer(dan, id, { kind: 'decline' });
  await confirm(bob, id);
  await confirm(ann, id);
  const isHeard = ({ group }: OwnNegotiation): boolean => group!.members.some(({ status }) => status === 'declined');
  assert.equal((await reaches(ann, id, isHeard)).state, 'PROPOSED');
  assert.deepEqual(await Promise.all(names.map(eventsOf)), [0, 0, 0, 0]);
  console.log('dan declined, two confirmed: nothing has happened yet');

  await confirm(cem, id);
  const isOver = ({ notes }: OwnNegotiation): boolean => notes.some(({ notice }) => notice === 'completed');
  const ended = await Promise.all(people.map((person) => reaches(person, id, isOver)));
  assert.deepEqual(
    ended.map(({ state }) => state),
    ['COMPLETED', 'COMPLETED', 'COMPLETED', 'DECLINED'],
  );
  assert.equal(new Set(ended.map(({ proposal }) => proposal!.hash)).size, 1);
  assert.deepEqual(await Promise.all(names.map(eventsOf)), [1, 1, 1, 0]);
  for (const one of running) await one.stop();
  console.log('The night is in the calendars of ann, bob and cem.');
} finally {
  await cleanUp();
}
