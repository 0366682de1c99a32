import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commands, dinnerPair, exchangeAll, latest, opened, untilPrompt, untilProposal } from './negotiation-kit.ts';

test('[A2C-25] a refusal that no person made waits as long as a person might', async () => {
  const [ann, bob] = await dinnerPair();
  for (const field of ['cuisine_preference', 'transport_mode']) await commands(ann).setTier({ field, tier: 'never_share' });
  await untilPrompt(ann, bob);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context']);
  expect((await latest(ann)).openPrompts).toEqual([]);
  ann.ahead += 31_000;
  await exchangeAll(ann, bob);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context', 'context_response']);
  expect((await latest(bob)).state).toBe('PROPOSED');
});

test('[A2C-34] [A2C-22] an open prompt is there after a restart, and its second answer is refused', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  const [before] = (await latest(ann)).openPrompts;
  await ann.close();
  await ann.open();
  const [prompt] = (await latest(ann)).openPrompts;
  expect(prompt).toEqual(before);
  await expect(commands(ann).consent({ id, answers: [{ field: 'shoe_size', answer: 'share' }] })).rejects.toThrow('shoe_size');
  await commands(ann).consent({ id: prompt!.id, answers: [{ field: 'cuisine_preference', answer: 'share', value: 'Thai' }] });
  await expect(commands(ann).consent({ id: prompt!.id, answers: [{ field: 'transport_mode', answer: 'share' }] })).rejects.toThrow(
    'answered before',
  );
  await exchangeAll(ann, bob);
  expect((await latest(bob)).received).toMatchObject({ cuisine_preference: 'Thai' });
  await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  await expect(commands(ann).confirm({ id, answer: { kind: 'excuse' } })).rejects.toThrow('answered before');
});

test('[A2C-17] a field that was declined is not asked again, and a peer that asks again gets nothing', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  await commands(ann).consent({ id, answers: [{ field: 'transport_mode', answer: 'decline' }] });
  const needs = [{ field: 'transport_mode', priority: 'required', reason: 'I insist' }];
  await bob.peer.write(ann.address, { type: 'context_request', threadId: id, members: { needs } });
  await exchangeAll(ann, bob);
  expect(await latest(ann)).toMatchObject({ prompts: 1, answered: expect.arrayContaining(['transport_mode']) });
  expect((await opened(bob)).filter(({ type }) => type === 'context_response')).toHaveLength(1);
});

test('[A2C-16] a plain question is answered after consent, also with a value that is not stored', async () => {
  const [ann, bob] = await dinnerPair();
  const needs = [{ field: 'phone', priority: 'required', reason: 'to call you' }];
  await commands(ann).negotiate({ address: bob.address, intent: 'Your phone number', needs });
  await exchangeAll(ann, bob);
  const { id, openPrompts: open } = await latest(bob);
  expect(open[0]!.fields).toMatchObject([{ field: 'phone', reason: 'to call you', value: null }]);
  await expect(commands(bob).consent({ id, answers: [{ field: 'phone', answer: 'share' }] })).rejects.toThrow('phone has no value');
  await commands(bob).consent({ id, answers: [{ field: 'phone', answer: 'share', value: '+44 1' }] });
  await exchangeAll(ann, bob);
  expect((await latest(ann)).received).toMatchObject({ phone: '+44 1' });
  // Nobody has to confirm that the answers came.
  for (const person of [ann, bob]) expect(await latest(person)).toMatchObject({ state: 'COMPLETED', openPrompts: [] });
});

const busyCalendar = (from: string, to: string): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'BEGIN:VEVENT', 'UID:busy', `DTSTART:${from}`, `DTEND:${to}`, 'END:VEVENT']
    .concat('END:VCALENDAR', '')
    .join('\r\n');

test('[A2C-18] with no common time in any format both people decide; with other words the agents go on', async () => {
  const [ann, bob] = await dinnerPair();
  await writeFile(join(bob.folder, 'calendar.ics'), busyCalendar('20200101T000000Z', '20990101T000000Z'));
  const id = await untilProposal(ann, bob);
  const escalation = (await opened(ann)).find((packet) => packet.escalation);
  expect(escalation).toMatchObject({ context: { conflict: { type: 'no_overlap' } }, escalation: { recommend: 'surface_to_users' } });
  expect(await commands(ann).show(id)).toMatchObject({
    state: 'NEGOTIATING',
    proposal: null,
    line: null,
    openPrompts: [{ kind: 'escalation' }],
  });
  expect((await latest(bob)).notes.at(-1)).toMatchObject({ notice: 'escalated', details: { by: 'own' } });
  await writeFile(join(bob.folder, 'calendar.ics'), busyCalendar('20200101T000000Z', '20200102T000000Z'));
  await commands(ann).steer({ threadId: id, act: 'continue', words: 'a call' });
  await exchangeAll(ann, bob);
  for (const person of [ann, bob]) expect(await latest(person)).toMatchObject({ state: 'PROPOSED', openPrompts: [{ kind: 'proposal' }] });
  expect((await latest(bob)).proposal!.details['event_type']).toBe('call');
  await commands(bob).steer({ threadId: id, act: 'decline' });
  await exchangeAll(ann, bob);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['DECLINED', 'DECLINED']);
});
