// A calendar with a password, of somebody whose peer a hub runs: a real CalDAV server behind the hub's guard. A server in front of it
// notes what is written, and refuses it where a test says so.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { accessTo, addRemoteEvent, readRemoteCalendar } from '@parley/peer/calendar';
import { readConfig } from '@parley/hub';
import type { ProposalCard } from '@parley/protocol';
import { advice, findRadicale, isRequired } from '@parley/testkit/programs';
import { startRadicale, type TestCalendarServer } from '@parley/testkit/radicale';
import { waitFor } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { peerFetch } from '../../src/hub-peers.ts';
import { ann, answerWith, bob, promptOf, shareAll, startHosting, stateOf } from './hosting-kit.ts';

const signIn = { username: 'ann', password: 'a secret of Ann' };
const { authorization } = accessTo({ url: '', ...signIn }, fetch);
const isMissing = !findRadicale() && !isRequired('radicale');
const dinner = 'thr_dinner01';

let radicale: TestCalendarServer | undefined;
const writes: string[] = [];
let refuses = (_path: string): boolean => false;
const front = createServer((request, response) => {
  const [method, path] = [request.method!, request.url!];
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (method === 'PUT' || method === 'DELETE') writes.push(`${method} ${path.split('/')[2]}`);
    if (method === 'PUT' && refuses(path)) return response.writeHead(403).end();
    const { host: _, connection: __, 'content-length': ___, ...headers } = request.headers as Record<string, string>;
    void fetch(new URL(path, radicale!.url), { method, headers, body: chunks.length === 0 ? null : Buffer.concat(chunks) }).then(
      async (answer) =>
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(await answer.text()),
    );
  });
});
const frontUrl = (): string => `http://127.0.0.1:${(front.address() as AddressInfo).port}/`;
const calendarOf = (name: string): string => `${frontUrl()}ann/${name}/`;
/** Bob has a calendar of his own on the same server. */
const bobs = 'bobs';

beforeAll(async () => {
  radicale = await startRadicale({ ...signIn, authorization });
  if (!radicale) return;
  await fetch(new URL(`ann/${bobs}/`, radicale.url), { method: 'MKCALENDAR', headers: { authorization } });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  front.closeAllConnections();
  front.close();
  await radicale?.stop();
});
beforeEach(() => {
  writes.length = 0;
  refuses = () => false;
});

const dayOfDinner = (Math.floor(Date.now() / 86_400_000) + 3) * 86_400_000;
const intent = `Dinner on ${new Date(dayOfDinner).toISOString().slice(0, 10)}`;
const eventsThere = async (name: string): Promise<string[]> => {
  const span = { from: Date.now(), to: Date.now() + 60 * 86_400_000, zone: 'UTC' };
  const { events } = await readRemoteCalendar(accessTo({ url: calendarOf(name), ...signIn }, fetch), span);
  return events.map(({ summary = '' }) => summary).toSorted((one, other) => one.localeCompare(other));
};

test('[A2C-39] [A2C-29] busy times count, and the dinner is written to the person’s server, and removed when the other side fails', async ({
  skip,
}) => {
  skip(isMissing, advice.radicale);
  const hosting = await startHosting({ fetch: peerFetch(readConfig({})) });
  const { host } = hosting;
  const trip = { uid: 'trip', from: dayOfDinner, to: dayOfDinner + 19.5 * 3_600_000, summary: 'Canary trip', isBusy: true };
  await addRemoteEvent(accessTo({ url: calendarOf('private'), ...signIn }, fetch), trip, Date.now());
  for (const person of [ann, bob]) await host.call(person, 'setField', { field: 'timezone', value: 'UTC' });
  const wrong = host.call(ann, 'addCalendar', { kind: 'url', url: calendarOf('private'), ...signIn, password: 'wrong' });
  await expect(wrong).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining('user name and password') as string });
  const several = host.call(ann, 'addCalendar', { kind: 'url', url: frontUrl(), ...signIn });
  await expect(several).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining(calendarOf(bobs)) as string });
  for (const [person, name] of [
    [ann, 'private'],
    [bob, bobs],
  ] as const) {
    const { calendars } = await host.call(person, 'addCalendar', { kind: 'url', url: calendarOf(name), ...signIn });
    expect(calendars).toEqual([{ name: calendarOf(name), username: 'ann', events: person === ann ? 1 : 0, problem: null }]);
  }

  refuses = (path) => path.includes(bobs);
  await host.call(ann, 'open', { threadId: dinner, with: bob, intent, needs: [], audience: null });
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner);
  const first = await promptOf(hosting, ann, dinner, 'proposal');
  // Without the trip it would be at 18:00.
  expect((first.card as ProposalCard).summary).toMatch(/, (?:19:[3-5]|2\d:)/);
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  await waitFor(() => expect(writes).toContain('DELETE private'));
  await waitFor(async () => expect((await promptOf(hosting, ann, dinner, 'proposal')).id).not.toBe(first.id));
  expect([await eventsThere('private'), await eventsThere(bobs)]).toEqual([['Canary trip'], []]);
  expect(writes.indexOf('PUT private')).toBeLessThan(writes.indexOf('DELETE private'));

  refuses = () => false;
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) await stateOf(hosting, person, dinner, 'COMPLETED');
  expect([await eventsThere('private'), await eventsThere(bobs)]).toEqual([['Canary trip', 'Dinner with Bob'], ['Dinner with Ann']]);
});

test('[A2C-39] [SYS-6] no answer, export, report or file shows the password; removing the calendar forgets it', async ({ skip }) => {
  skip(isMissing, advice.radicale);
  const hosting = await startHosting({ fetch: peerFetch(readConfig({})) });
  const { host, hub, folder } = hosting;
  const url = calendarOf('private');
  const added = await host.call(ann, 'addCalendar', { kind: 'url', url, ...signIn });
  await host.call(ann, 'addCalendar', { kind: 'url', url, ...signIn });
  const whole = await host.call(ann, 'export', null);
  expect(whole['profile']).toMatchObject([{ value: { servers: [{ url, username: 'ann' }] } }]);
  await host.stop();
  const files = await readdir(join(folder, 'mem_ann'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, 'mem_ann', file), 'latin1')));
  const shown = JSON.stringify([added, whole, hub.problems, [...hub.sharing], texts]);
  expect(shown).not.toMatch(/a secret of Ann|YSBzZWNyZXQgb2YgQW5u/);
  hosting.host = await hosting.again();
  expect((await hosting.host.call(ann, 'profile', null)).calendars).toMatchObject([{ name: url, username: 'ann', problem: null }]);
  expect((await hosting.host.call(ann, 'removeCalendar', { name: url })).calendars).toEqual([]);
  expect((await hosting.host.call(ann, 'export', null))['profile']).toMatchObject([{ value: { servers: [] } }]);
});
