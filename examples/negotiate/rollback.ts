// Ann's peer books a table and Bob's peer tells his club, once both have confirmed. The club refuses the first time.
// So the table is released and both calendars are empty again; another time works. A booking server on this machine counts.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { OwnNegotiation } from '@parley/protocol';
import { cleanUp } from '../sealed-line/kit.ts';
import { arrange, bobAddress, confirm, eventsOf, reaches, twoPeople } from './people.ts';

const tables = new Set<string>();
let refusedStart: string | undefined;

/** One effect for a key, however often it is asked. */
function answer(path: string, { key, details }: { key: string; details: { start: string } }): [status: number, body: object] {
  if (path === '/book') tables.add(key);
  if (path === '/release') tables.delete(key);
  if (path !== '/club') return [200, {}];
  refusedStart ??= details.start;
  return details.start === refusedStart ? [409, { constraint: 'The club is full at that hour' }] : [200, {}];
}

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    const [status, said] = answer(request.url!, JSON.parse(body) as Parameters<typeof answer>[1]);
    response.writeHead(status).end(JSON.stringify(said));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

try {
  const { ann, bob, stop } = await twoPeople();
  await ann.addAction({ name: 'book_table', kind: 'webhook', run: `${url}/book`, undo: `${url}/release` });
  await bob.addAction({ name: 'tell_club', kind: 'webhook', run: `${url}/club`, undo: null });

  const id = await arrange(ann, bobAddress, 'Drinks on Friday');
  const first = await reaches(ann, id, ({ state }) => state === 'PROPOSED');
  const names = first.proposal!.actions.map(({ action }) => action);
  console.log(`proposed: ${first.proposal!.summary}; it does ${names.join(', ')}`);
  assert.deepEqual(names, ['book_table', 'add_calendar_event', 'tell_club']);
  for (const person of [bob, ann]) await confirm(person, id);

  const isAnother = ({ proposal }: OwnNegotiation): boolean => proposal !== null && proposal.hash !== first.proposal!.hash;
  const second = await reaches(ann, id, (shown) => shown.state === 'PROPOSED' && isAnother(shown));
  await reaches(bob, id, ({ proposal }) => proposal?.hash === second.proposal!.hash);
  const { constraint } = second.notes.find(({ notice }) => notice === 'failed')!.details;
  console.log(
    `failed: ${JSON.stringify(constraint)}; tables booked: ${tables.size}, events: ${await eventsOf('ann')} and ${await eventsOf('bob')}`,
  );
  assert.deepEqual([tables.size, await eventsOf('ann'), await eventsOf('bob')], [0, 0, 0]);
  console.log(`proposed: ${second.proposal!.summary}`);
  assert.notEqual(second.proposal!.details['start'], first.proposal!.details['start']);

  for (const person of [bob, ann]) await confirm(person, id);
  for (const person of [ann, bob]) await reaches(person, id, ({ state }) => state === 'COMPLETED');
  assert.deepEqual([tables.size, await eventsOf('ann'), await eventsOf('bob')], [1, 1, 1]);
  await stop();
  console.log('One table is booked, and the evening is in both calendars.');
} finally {
  server.closeAllConnections();
  server.close();
  await cleanUp();
}
