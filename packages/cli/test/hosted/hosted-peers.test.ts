import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProposalCard } from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHosting, stateOf } from './hosting-kit.ts';
import { commands, opened } from '../peer/negotiation-kit.ts';
import { newPerson } from '../peer/people-kit.ts';

const dinner = 'thr_dinner01';

test('[A2C-34] [A2C-22] two people of one hub agree on a dinner by two taps each, and the hub learns IDs and states only', async () => {
  const hosting = await startHosting();
  const { host, hub } = hosting;
  expect(await host.call(ann, 'me', null)).toMatchObject({ address: null, problem: null, isSetUp: false });
  expect([await host.call(ann, 'people', null), await host.knows(ann.memberId)]).toEqual([[], false]);
  expect(await openDinner(hosting)).toMatchObject({ threadId: dinner, peer: 'agent:bob@localhost', role: 'initiator', waitsForMe: false });
  expect(await host.call(ann, 'people', null)).toMatchObject([{ memberId: 'mem_bob', trust: 'introduced', name: 'bob', stranger: false }]);

  const asked = await shareAll(hosting, bob, dinner, 'always');
  expect(asked).toMatchObject({ peer: 'agent:ann@localhost', intent: 'Dinner on Friday' });
  expect(asked.fields.map(({ field }) => field)).toEqual(['time_windows', 'dietary']);
  await shareAll(hosting, ann, dinner, 'always');
  const { card } = await promptOf(hosting, ann, dinner, 'proposal');
  const { summary, actions, until } = card as ProposalCard;
  expect(summary).toContain('Dinner, Friday');
  expect(actions).toEqual([
    { action: 'add_calendar_event', text: 'Add “Dinner with Bob” to your calendar', scope: 'own', by: null, reversible: true, own: true },
  ]);
  expect(until).toBeGreaterThan(Date.now());
  expect(await host.call(ann, 'negotiations', null)).toMatchObject([{ intent: 'Dinner on Friday', title: summary }]);
  for (const person of [ann, bob]) await answerWith(hosting, person, dinner, 'proposal', { kind: 'confirm' });
  for (const person of [ann, bob]) {
    expect(await stateOf(hosting, person, dinner, 'COMPLETED')).toMatchObject({ isEnded: true, prompts: [], outcome: null });
    expect((await host.call(person, 'calendar', null)).ics).toContain(`SUMMARY:Dinner with ${person === ann ? 'Bob' : 'Ann'}`);
  }
  expect([...hub.made]).toEqual([
    ['mem_ann', 'agent:ann@localhost'],
    ['mem_bob', 'agent:bob@localhost'],
  ]);
  expect(hub.sharing.get('mem_bob')).toMatchObject({ overrides: { mem_ann: { time_windows: 'always_share', dietary: 'always_share' } } });
  // A value that he shares always is his own from now on.
  expect((await host.call(bob, 'profile', null)).fields).toEqual({ dietary: 'No restrictions' });
  const known = JSON.stringify([[...hub.statuses], [...hub.sharing], [...hub.alarms]]);
  expect(known).not.toMatch(/Friday|restrictions/);
  expect(hub.problems).toEqual([]);
});

test('[A2C-24] nothing that a peer wrote can reorder or hide words of the page', async () => {
  const hosting = await startHosting();
  const intent = 'Dinner \u202eon\r Friday \u{E0041}\u009b';
  await hosting.host.call(ann, 'open', { threadId: dinner, with: bob, intent, needs: [], audience: null });
  expect((await promptOf(hosting, bob, dinner, 'consent')).card).toMatchObject({ intent: 'Dinner  on  Friday  ' });
  const whole = await hosting.host.call(bob, 'negotiation', { threadId: dinner });
  expect(JSON.stringify([whole, await hosting.host.call(bob, 'negotiations', null)])).not.toMatch(/[\p{Cc}\p{Cf}]|\\r/u);
});

test('[A2C-24] [A2C-26] both confirm where the outcome is posted, and only then the hub gets its words', async () => {
  const hosting = await startHosting();
  await openDinner(hosting, dinner, '#general at Acme');
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner);
  const cards = await Promise.all([ann, bob].map((person) => promptOf(hosting, person, dinner, 'proposal')));
  const summaries = cards.map(({ card }) => (card as ProposalCard).summary);
  const posted = `${summaries[0]}, with Ann and Bob`;
  for (const { card } of cards)
    expect((card as ProposalCard).actions.at(-1)).toMatchObject({ text: `Post “${posted}” in #general at Acme`, reversible: false });
  expect(cards.map(({ card }) => (card as ProposalCard).actions.at(-1)!.own)).toEqual([true, false]);
  expect((await hosting.host.call(bob, 'profile', null)).fields).toEqual({});
  await answerWith(hosting, bob, dinner, 'proposal', { kind: 'confirm' });
  expect(JSON.stringify([...hosting.hub.statuses])).not.toContain('Dinner');
  await answerWith(hosting, ann, dinner, 'proposal', { kind: 'confirm' });
  expect(await stateOf(hosting, ann, dinner, 'COMPLETED')).toMatchObject({ outcome: posted });
  expect(await stateOf(hosting, bob, dinner, 'COMPLETED')).toMatchObject({ outcome: null });
});

test('[A2C-39] [A2C-15] a peer counts in the zone of its person’s browser, and their choice stays', async () => {
  const hosting = await startHosting();
  const { host } = hosting;
  await host.call(ann, 'noticeZone', { zone: 'America/New_York' });
  await host.call(bob, 'noticeZone', { zone: 'Asia/Tokyo' });
  await expect(host.call(ann, 'noticeZone', { zone: 'Mars/Base' })).rejects.toMatchObject({ code: 'bad_input' });
  expect([await host.knows(ann.memberId), await host.knows(bob.memberId)]).toEqual([false, false]);
  // Nobody has a peer yet, so no thread runs for them.
  expect(hosting.worker).toBeUndefined();
  await openDinner(hosting);
  const zones = async () => Promise.all([ann, bob].map(async (person) => (await host.call(person, 'profile', null)).fields['timezone']));
  expect(await zones()).toEqual(['America/New_York', 'Asia/Tokyo']);
  const { steps } = await host.call(ann, 'negotiation', { threadId: dinner });
  expect(steps[0]!.shared['timezone']).toBe('America/New_York');
  await host.call(bob, 'setField', { field: 'timezone', value: 'Europe/Paris' });
  for (const person of [ann, bob]) await host.call(person, 'noticeZone', { zone: 'UTC' });
  expect(await zones()).toEqual(['America/New_York', 'Europe/Paris']);
  await host.call(ann, 'sample', null);
  await host.call(ann, 'open', {
    threadId: 'thr_sample01',
    with: { address: 'agent:sample-friend@localhost' },
    intent: 'Dinner on Friday',
    needs: [],
    audience: null,
  });
  await shareAll(hosting, ann, 'thr_sample01');
  const { card } = await promptOf(hosting, ann, 'thr_sample01', 'proposal');
  expect((card as ProposalCard).details).toMatchObject({ timezone: 'America/New_York' });
});

test('[A2C-22] a person says in words when they are free, and words without a time are refused', async () => {
  const hosting = await startHosting();
  await openDinner(hosting);
  const saying = (value: string) =>
    answerWith(hosting, bob, dinner, 'consent', { kind: 'consent', fields: [{ field: 'time_windows', answer: 'share', value }] });
  for (const words of ['when the cat sleeps', 'any day but Friday'])
    await expect(saying(words)).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining(`“${words}”`) });
  await saying('Saturday after 19:00');
  await shareAll(hosting, ann, dinner);
  const { card } = await promptOf(hosting, ann, dinner, 'proposal');
  const { summary, alternatives } = card as ProposalCard;
  expect(summary).toMatch(/^Dinner, Saturday .*, (19:00–21:00|20:00–22:00)$/);
  for (const one of alternatives) expect(one.summary).toContain('Saturday');
});

test('[A2C-39] profile, tiers and dropped calendars: kept sealed, and counted as busy', async () => {
  const hosting = await startHosting();
  const { host, folder } = hosting;
  const friday = new Date(Date.now() + ((5 - new Date().getUTCDay() + 7) % 7 || 7) * 86_400_000)
    .toISOString()
    .slice(0, 10)
    .replaceAll('-', '');
  const ics = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:x',
    'BEGIN:VEVENT',
    'UID:canary-event',
    `DTSTAMP:${friday}T000000Z`,
    `DTSTART:${friday}T000000Z`,
    `DTEND:${friday}T235900Z`,
    'SUMMARY:Canary trip',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');
  await host.call(bob, 'setField', { field: 'timezone', value: 'UTC' });
  await expect(host.call(bob, 'setField', { field: 'timezone', value: 'Mars/Base' })).rejects.toMatchObject({ code: 'bad_input' });
  await expect(host.call(bob, 'addCalendar', { kind: 'file', name: 'bad', ics: 'no calendar' })).rejects.toMatchObject({
    code: 'bad_input',
  });
  expect((await host.call(bob, 'addCalendar', { kind: 'file', name: 'work', ics })).calendars).toEqual([
    { name: 'work', username: null, events: 1, problem: null },
  ]);
  for (const field of ['time_windows', 'general_location_area', 'dietary', 'budget_range', 'specific_location']) {
    expect((await host.call(bob, 'me', null)).isSetUp).toBe(false);
    await host.call(bob, 'setTier', { field, tier: 'always_share' });
  }
  expect(await host.call(bob, 'me', null)).toMatchObject({ isSetUp: true, address: 'agent:bob@localhost' });
  await openDinner(hosting);
  await shareAll(hosting, bob, dinner);
  const { steps } = await host.call(bob, 'negotiation', { threadId: dinner });
  const windows = JSON.stringify(steps.at(-1)!.shared['time_windows']);
  expect(windows).not.toContain(`${friday.slice(0, 4)}-${friday.slice(4, 6)}-${friday.slice(6)}`);
  expect((await host.call(bob, 'removeCalendar', { name: 'work' })).calendars).toEqual([]);
  await expect(host.call(bob, 'removeCalendar', { name: 'work' })).rejects.toMatchObject({ code: 'unknown_id' });
  for (const file of await readdir(join(folder, 'mem_bob')))
    expect(await readFile(join(folder, 'mem_bob', file), 'latin1')).not.toContain('anary');
});

test('[SYS-7] removing the sample friend ends what is open with it and leaves no entry; another friend can come', async () => {
  const hosting = await startHosting();
  const { host } = hosting;
  const threadId = 'thr_sample01';
  const { address } = await host.call(ann, 'sample', null);
  expect(await host.call(ann, 'people', null)).toMatchObject([{ address, isSample: true }]);
  await host.call(ann, 'open', { threadId, with: { address }, intent: 'Lunch tomorrow', needs: [], audience: null });
  await promptOf(hosting, ann, threadId, 'consent');
  await host.call(ann, 'block', { address, isOn: true });
  await host.call(ann, 'removeSample', null);
  // The hub closes its checkpoints from this report.
  expect(hosting.hub.status(ann, threadId)).toMatchObject({ state: 'DECLINED', isEnded: true, prompts: [] });
  expect(await host.call(ann, 'people', null)).toEqual([]);
  expect(await host.call(ann, 'negotiations', null)).toEqual([]);
  expect(await host.call(ann, 'memory', {})).toEqual([]);
  expect((await hosting.relay.served.relay.store.accounts()).map((one) => one.address)).toEqual(['agent:ann@localhost']);
  expect(await host.call(ann, 'removeSample', null)).toBeNull();
  const again = await host.call(ann, 'sample', null);
  expect(again).toMatchObject({ address, alarm: null, blocked: false });
  const next = 'thr_sample02';
  await host.call(ann, 'open', { threadId: next, with: { address }, intent: 'Lunch tomorrow', needs: [], audience: null });
  await shareAll(hosting, ann, next);
  await promptOf(hosting, ann, next, 'proposal');
  expect(hosting.hub.problems).toEqual([]);
});

test('[A2C-34] [A2C-21] somebody from outside is a stranger: nothing goes out before a tap', async () => {
  const hosting = await startHosting();
  await hosting.host.call(bob, 'make', null);
  const eve = await newPerson(hosting.relay, 'eve');
  await eve.peer.add('agent:bob@localhost');
  const { id } = await commands(eve).negotiate({ address: 'agent:bob@localhost', intent: 'Lunch tomorrow', needs: [] });
  await commands(eve).answer({ promptId: id, answer: { kind: 'answer_stranger', isOn: true } });
  const { card } = await promptOf(hosting, bob, id, 'stranger');
  expect(card).toEqual({ kind: 'stranger', threadId: id, peer: eve.address, peerName: 'eve', intent: 'Lunch tomorrow', requests: 1 });
  expect(await hosting.host.call(bob, 'people', null)).toMatchObject([{ trust: 'unverified', stranger: true, memberId: null }]);
  await answerWith(hosting, bob, id, 'stranger', { kind: 'answer_stranger', isOn: false });
  await waitFor(() => expect(hosting.hub.status(bob, id)).toMatchObject({ isEnded: true, prompts: [] }));
  await commands(eve).negotiations();
  expect(await opened(eve)).toEqual([]);
});
