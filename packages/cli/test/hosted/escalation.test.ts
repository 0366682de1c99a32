// No time suits both: each person gets a card, and the answer of one of them goes on with it or ends it.

import type { EscalationCard } from '@parley/protocol';
import { expect, test } from 'vitest';
import { ann, answerWith, bob, openDinner, promptOf, shareAll, startHosting, stateOf, type TestHosting } from './hosting-kit.ts';

const dinner = 'thr_dinner01';
const alwaysBusy = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:x',
  'BEGIN:VEVENT',
  'UID:canary-event',
  'DTSTAMP:20260101T000000Z',
  'DTSTART:20260101T000000Z',
  'DTEND:20260102T000000Z',
  'RRULE:FREQ=DAILY',
  'SUMMARY:Canary watch',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

async function withoutCommonTime(): Promise<TestHosting> {
  const hosting = await startHosting();
  await hosting.host.call(ann, 'addCalendar', { kind: 'file', name: 'watch', ics: alwaysBusy });
  await openDinner(hosting);
  for (const person of [bob, ann]) await shareAll(hosting, person, dinner, 'always');
  return hosting;
}

test('[A2C-18] [A2C-22] no common time: both people get the conflict as a card, and other words lead to a proposal', async () => {
  const hosting = await withoutCommonTime();
  const { host } = hosting;
  for (const person of [ann, bob]) {
    const { card } = await promptOf(hosting, person, dinner, 'escalation');
    const { conflict, question, intent } = card as EscalationCard;
    expect([intent, conflict, question]).toEqual([
      'Dinner on Friday',
      expect.stringContaining('No time suits both'),
      expect.stringContaining('Try other days'),
    ]);
    expect(JSON.stringify(card)).not.toContain('anary');
    const { steps } = await host.call(person, 'negotiation', { threadId: dinner });
    const told = steps.find(({ text }) => text.includes('conflict'))!;
    expect(told.text).toMatch(/^(Your|Their) peer met a conflict: “No time suits both/);
    expect(JSON.stringify(told)).not.toMatch(/no_overlap|agent_a_values|sender|recipient/);
    expect(hosting.hub.status(person, dinner)).toMatchObject({ isEnded: false });
    expect(await host.call(person, 'negotiations', null)).toMatchObject([{ waitsForMe: true }]);
  }
  const { id } = await promptOf(hosting, ann, dinner, 'escalation');
  await host.call(ann, 'removeCalendar', { name: 'watch' });
  await answerWith(hosting, ann, dinner, 'escalation', { kind: 'continue', text: 'next week' });
  const again = host.call(ann, 'answer', { promptId: id, answer: { kind: 'continue' } });
  await expect(again).rejects.toMatchObject({ code: 'answered' });
  for (const person of [ann, bob]) {
    await promptOf(hosting, person, dinner, 'proposal');
    expect(hosting.hub.status(person, dinner)!.prompts.map(({ kind }) => kind)).toEqual(['proposal']);
  }
});

test('[A2C-18] [A2C-25] one of them ends it: the other’s card goes, and nothing is posted', async () => {
  const hosting = await withoutCommonTime();
  const { id } = await promptOf(hosting, ann, dinner, 'escalation');
  await answerWith(hosting, bob, dinner, 'escalation', { kind: 'decline' });
  for (const person of [ann, bob])
    expect(await stateOf(hosting, person, dinner, 'DECLINED')).toMatchObject({ isEnded: true, prompts: [], outcome: null });
  expect(await hosting.host.call(ann, 'prompts', { ids: [id] })).toEqual([]);
  expect(hosting.hub.problems).toEqual([]);
});

test('[A2C-18] an alternative of the card that one’s own busy time stands against leads to a proposal, once one picks it', async () => {
  const hosting = await withoutCommonTime();
  const { card } = await promptOf(hosting, ann, dinner, 'escalation');
  const [alternative] = (card as EscalationCard).alternatives;
  expect(alternative).toMatchObject({ reason: expect.stringContaining('your calendar') });
  await answerWith(hosting, ann, dinner, 'escalation', { kind: 'continue', text: alternative!.summary });
  for (const person of [ann, bob])
    expect((await promptOf(hosting, person, dinner, 'proposal')).card).toMatchObject({ summary: alternative!.summary });
});
