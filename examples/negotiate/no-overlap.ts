// Bob has no free hour for a month, so the peers find no time: not on another day, not at another hour, not as a call.
// They ask the people. Ann names a day after that month, and both get the meeting.

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cleanUp, folder } from '../sealed-line/kit.ts';
import type { OwnNegotiation } from '@parley/protocol';
import { arrange, bobAddress, confirm, eventsOf, promptIn, reaches, twoPeople } from './people.ts';

const day = 86_400_000;
const stamp = (time: number): string => `${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
const busyUntil = Date.now() + 30 * day;

try {
  const { ann, bob, stop } = await twoPeople();
  const event = [
    'BEGIN:VEVENT',
    'UID:voyage',
    `DTSTART:${stamp(Date.now() - day)}`,
    `DTEND:${stamp(busyUntil)}`,
    'SUMMARY:Voyage',
    'END:VEVENT',
  ];
  const path = join(folder, 'voyage.ics');
  await writeFile(path, ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//EN', ...event, 'END:VCALENDAR', ''].join('\r\n'));
  await bob.linkCalendar({ path });

  const id = await arrange(ann, bobAddress, 'A meeting on Friday');
  const isStuck = (shown: OwnNegotiation): boolean => promptIn(shown, 'escalation') !== undefined;
  const stuck = await reaches(ann, id, isStuck);
  const { suggested_prompt: prompt, alternatives } = stuck.notes.at(-1)!.details;
  console.log(`ann is asked: ${JSON.stringify(prompt)}`);
  for (const { option, rationale } of alternatives as { option: string; rationale: string }[]) console.log(`  ${option} (${rationale})`);
  assert.equal(stuck.proposal, null);
  assert.ok(isStuck(await reaches(bob, id, isStuck)));

  const words = new Date(busyUntil + 4 * day).toISOString().slice(0, 10);
  console.log(`ann lets them try ${words}`);
  await ann.steer({ threadId: id, act: 'continue', words });
  const { proposal } = await reaches(bob, id, ({ state }) => state === 'PROPOSED');
  console.log(`proposed: ${proposal!.summary}`);
  assert.ok(JSON.stringify(proposal!.details['start']).startsWith(`"${words}`));

  await confirm(bob, id);
  await confirm(ann, id);
  for (const [name, person] of Object.entries({ ann, bob })) {
    await reaches(person, id, ({ state }) => state === 'COMPLETED');
    assert.equal(await eventsOf(name), 1);
  }
  await stop();
  console.log('The meeting is in both calendars, after the voyage.');
} finally {
  await cleanUp();
}
