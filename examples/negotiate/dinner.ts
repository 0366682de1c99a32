// Ann and Bob arrange a dinner. Their peers negotiate over a relay that can read nothing; each person decides what to share and confirms.
// Bob has a calendar, so Friday evening is no choice for him. The example checks the result in both calendars.

import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanUp, folder, parley, start } from '../sealed-line/kit.ts';

interface Shown {
  threadId: string;
  state: string;
  proposal: { hash: string; summary: string; alternatives: { summary: string }[] } | null;
  packets: number;
  prompts: number;
  openPrompts: { kind: string; fields: { field: string; reason: string }[] }[];
}

const peer = <T = unknown>(who: string, ...args: string[]): Promise<T> => parley<T>('peer', '--data', who, ...args);
const show = (who: string, id: string): Promise<Shown> => peer(who, 'show', id);

/** Looks again for at most half a minute. */
async function reaches(who: string, id: string, isReached: (shown: Shown) => boolean): Promise<Shown> {
  for (const until = Date.now() + 30_000; ;) {
    const shown = await show(who, id);
    if (isReached(shown)) return shown;
    assert.ok(Date.now() < until, `${who} waits: ${JSON.stringify(shown)}`);
  }
}

/** The date of the next Friday, as a calendar writes it. */
function nextFriday(): string {
  const now = new Date();
  const ahead = (5 - now.getUTCDay() + 7) % 7 || 7;
  return new Date(now.getTime() + ahead * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '');
}

try {
  const relay = await start<{ url: string }>('relay', '--port', '0');
  for (const name of ['ann', 'bob']) {
    const { code } = await parley<{ code: string }>('relay', 'invite');
    await peer(name, 'init', '--name', name, '--relay', relay.said.url, '--code', code);
    await peer(name, 'profile', 'set', 'timezone', 'UTC');
    for (const field of ['time_windows', 'dietary', 'location_preference']) await peer(name, 'tiers', 'set', field, 'always');
  }
  await peer('ann', 'add', (await peer<{ card: string }>('bob', 'card')).card);
  await peer('bob', 'add', (await peer<{ card: string }>('ann', 'card')).card);
  await peer('ann', 'profile', 'set', 'cuisine_preference', 'Italian');
  await peer('ann', 'profile', 'set', 'transport_mode', 'train');
  await peer('ann', 'profile', 'set', 'health_info', 'a secret of Ann');
  await peer('bob', 'profile', 'set', 'dietary', 'vegetarian');
  const friday = nextFriday();
  const event = [
    'BEGIN:VEVENT',
    'UID:play',
    `DTSTART:${friday}T090000Z`,
    `DTEND:${friday}T220000Z`,
    'SUMMARY:A secret of Bob',
    'END:VEVENT',
  ];
  const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN', ...event, 'END:VCALENDAR', ''].join('\r\n');
  await writeFile(join(folder, 'bob.ics'), calendar);
  await peer('bob', 'calendar', 'add', 'bob.ics');

  const running = [await start('peer', '--data', 'ann', 'run'), await start('peer', '--data', 'bob', 'run')];
  const { threadId: id } = await peer<Shown>('ann', 'negotiate', 'agent:bob@localhost', '--intent', 'Dinner on Friday');
  const asked = await reaches('ann', id, ({ openPrompts }) => openPrompts.length > 0);
  for (const { field, reason } of asked.openPrompts[0]!.fields) console.log(`bob asks ann for ${field}: ${reason}`);
  await peer('ann', 'consent', id, '--share', 'cuisine_preference', '--decline', 'transport_mode');
  const proposed = await reaches('ann', id, ({ state }) => state === 'PROPOSED');
  const { packets, prompts, proposal } = proposed;
  console.log(`${packets} packets, ${prompts} prompt: ${proposal!.summary}`);
  assert.deepEqual([packets, prompts], [4, 1]);
  assert.ok(proposal!.alternatives.length > 0);
  assert.equal((await show('bob', id)).proposal?.hash, proposal!.hash);

  await peer('bob', 'confirm', id);
  await peer('ann', 'confirm', id);
  for (const who of ['ann', 'bob']) {
    await reaches(who, id, ({ state }) => state === 'COMPLETED');
    const own = await readFile(join(folder, who, 'calendar.ics'), 'utf8');
    assert.equal(own.match(/BEGIN:VEVENT/g)?.length, 1);
    assert.ok(!own.includes(`DTSTART:${friday}`));
  }
  const received = [await peer('bob', 'inbox'), await show('bob', id), await peer('ann', 'inbox'), await show('ann', id)];
  assert.ok(!/secret|"train"/.test(JSON.stringify(received)));
  await Promise.all(running.map((one) => one.stop()));
  await relay.stop();
  console.log('The dinner is in both calendars.');
} finally {
  await cleanUp();
}
