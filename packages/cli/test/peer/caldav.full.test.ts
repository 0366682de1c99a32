import { basicAuthorization, readRemoteCalendar } from '@parley/peer/calendar';
import { advice, findRadicale, isRequired } from '@parley/testkit/programs';
import { startRadicale, type TestCalendarServer } from '@parley/testkit/radicale';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirmBoth } from './actions-kit.ts';
import { peerShell } from './commands-kit.ts';
import { commands, dinnerPair, eventsOf, latest, untilProposal } from './negotiation-kit.ts';

const [username, password] = ['ann', 'a secret of Ann'];
const authorization = basicAuthorization(username, password);
const isMissing = !findRadicale() && !isRequired('radicale');
let server: TestCalendarServer | undefined;
beforeAll(async () => {
  server = await startRadicale({ username, password, authorization });
});
afterAll(() => server?.stop());

const eventsThere = async (): Promise<number> => {
  const span = { from: Date.now(), to: Date.now() + 60 * 86_400_000, zone: 'UTC' };
  return (await readRemoteCalendar({ url: server!.calendar, authorization, fetch }, span)).events.length;
};

test('[A2C-29] the agreed event is on the person’s server, and gone again when the other side fails', async ({ skip }) => {
  skip(isMissing, advice.radicale);
  const [ann, bob] = await dinnerPair();
  await commands(ann).addCalendar({ kind: 'url', url: server!.calendar, username, password });
  const add = bob.calendar.add.bind(bob.calendar);
  bob.calendar.add = async () => {
    throw new Error('The disk is full');
  };
  const id = await untilProposal(ann, bob);
  await confirmBoth(ann, bob, id);
  expect([await eventsThere(), await eventsOf(ann), await eventsOf(bob)]).toEqual([0, 0, 0]);
  bob.calendar.add = add;
  await confirmBoth(ann, bob, id);
  expect([await eventsThere(), await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1, 1]);
  expect(JSON.stringify(await latest(bob))).not.toContain(password);
});

const shell = peerShell();

test('[A2C-39] a calendar with a password is added in a terminal; a wrong one is refused, and no output shows it', async ({ skip }) => {
  skip(isMissing, advice.radicale);
  await shell.init('ann');
  const add = (address: string): ReturnType<typeof shell.tried> => shell.tried('ann', 'calendar', 'add', address, '--username', username);
  const without = await add(server!.url);
  expect([without.code, without.err]).toEqual([2, expect.stringContaining('PARLEY_CALDAV_PASSWORD')]);
  shell.here.env = { ...shell.here.env, PARLEY_CALDAV_PASSWORD: 'wrong' };
  expect((await add(server!.url)).err).toContain('does not accept the user name and password');
  shell.here.env['PARLEY_CALDAV_PASSWORD'] = password;
  expect((await add('ftp://dav.example/')).err).toContain('ftp://dav.example/');
  expect((await add('http://dav.example/')).err).toContain('https://');
  const { calendars } = await shell.peer<{ calendars: string[] }>('ann', 'calendar', 'add', server!.url, '--username', username);
  expect(calendars).toEqual([server!.calendar]);
  const listed = await shell.tried('ann', 'calendar', 'list', '--json');
  expect(listed.out).toContain(server!.calendar);
  expect(listed.out).not.toContain(password);
  expect(await shell.peer('ann', 'calendar', 'remove', server!.calendar)).toEqual({ calendars: [] });
  expect((await shell.tried('ann', 'calendar', 'remove', server!.calendar)).err).toContain('There is none yet');
});
