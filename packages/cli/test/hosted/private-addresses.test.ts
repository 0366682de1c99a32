// A member who names a calendar server for the hub must not reach with it what only the hub can. The threads, the relay and the
// servers are real; only the hub's tables are left out.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readConfig } from '@parley/hub';
import { expect, onTestFinished, test } from 'vitest';
import { peerFetch } from '../../src/hub-peers.ts';
import { ann, startHosting, type TestHosting } from './hosting-kit.ts';

interface TestServer {
  host: string;
  url: string;
  calls: string[];
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<TestServer> {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => answer(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { host, url: `http://${host}/`, calls };
}

const signIn = { username: 'ann', password: 'a secret of Ann' };
const publicHosting = (allowed: string): Promise<TestHosting> => {
  const config = readConfig({ PARLEY_PUBLIC_URL: 'https://parley.example', PARLEY_PRIVATE_HOSTS: allowed });
  return startHosting({ fetch: peerFetch(config) });
};
const tryToAdd = (hosting: TestHosting, url: string, credentials: Partial<typeof signIn> = signIn): Promise<string> =>
  hosting.host.call(ann, 'addCalendar', { kind: 'url', url, ...credentials }).then(
    () => 'added',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

test('[SYS-9] a hub with a public address calls no private one for a member, named, redirected to or found in an answer', async () => {
  const inside = await listen((_, response) => response.writeHead(200).end('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n'));
  const principal = `<multistatus xmlns="DAV:"><response><href>/</href><propstat><prop><current-user-principal><href>${inside.url}ann/</href></current-user-principal></prop><status>HTTP/1.1 200 OK</status></propstat></response></multistatus>`;
  const outside = await listen((request, response) => {
    if (request.url === '/found/') response.writeHead(207, { 'content-type': 'application/xml' }).end(principal);
    else response.writeHead(307, { location: inside.url }).end();
  });
  const hosting = await publicHosting(outside.host);
  const localName = inside.url.replace('127.0.0.1', 'localhost');
  for (const url of [inside.url, localName, `${outside.url}redirect/`]) {
    for (const credentials of [signIn, {}]) {
      // A password goes to no other host than the named one, whichever network that is in.
      const isRedirected = url.startsWith(outside.url) && 'password' in credentials;
      expect(await tryToAdd(hosting, url, credentials)).toMatch(
        isRedirected
          ? /^bad_input: [^ ]+ leads to [^ ]+, which does not get your password\. /
          : /^bad_input: No answer from [^ ]+: it is in the hub’s own network\. Ask an admin of the hub to allow this server\.$/,
      );
    }
  }
  expect(await tryToAdd(hosting, `${outside.url}found/`)).toMatch(/^bad_input: /);
  expect([outside.calls.length > 2, inside.calls]).toEqual([true, []]);
  expect((await hosting.host.call(ann, 'profile', null)).calendars).toEqual([]);
});

test('[A2C-39] a calendar with a password needs both its parts, and a server that answers as one', async () => {
  const server = await listen((request, response) =>
    request.url === '/large/'
      ? response.writeHead(207).end('x'.repeat(21 * 1024 * 1024))
      : request.url === '/shared.ics'
        ? response.writeHead(200).end('BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n')
        : response.writeHead(401).end(),
  );
  const hosting = await publicHosting(server.host);
  expect(await tryToAdd(hosting, server.url, { username: 'ann' })).toMatch(/^bad_input: .*user name and the password/);
  expect(await tryToAdd(hosting, server.url)).toContain('does not accept the user name and password');
  expect(await tryToAdd(hosting, `${server.url}large/`)).toMatch(/^bad_input: .*more than 20971520 bytes/);
  expect(await tryToAdd(hosting, 'http://dav.example/')).toMatch(/^bad_input: .*https:/);

  // The profile is shown after each change, and asks the server once.
  expect(await tryToAdd(hosting, `${server.url}shared.ics`, {})).toBe('added');
  for (const field of ['dietary', 'budget_range'])
    expect((await hosting.host.call(ann, 'setTier', { field, tier: 'ask_first' })).calendars).toMatchObject([{ events: 0, problem: null }]);
  expect(server.calls.filter((call) => call === 'GET /shared.ics')).toHaveLength(2);
});
