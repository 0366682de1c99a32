import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rulesBrain } from '@parley/a2acp';
import { commands, dinnerPair, eventsOf, exchangeAll, latest, opened, untilPrompt, untilProposal } from './negotiation-kit.ts';

test('[A2C-15] [A2C-32] a first dinner takes four packets and one prompt up to the proposal', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).negotiate({ address: bob.address, intent: 'Dinner on Friday', needs: [] });
  await exchangeAll(ann, bob);
  const asked = await latest(ann);
  expect([ann.failures, bob.failures]).toEqual([[], []]);
  expect(asked).toMatchObject({ state: 'NEGOTIATING', prompts: 1, open_prompts: [{ kind: 'consent' }] });
  expect(asked.open_prompts[0]!.fields).toMatchObject([
    { field: 'cuisine_preference', value: 'Italian', reason: expect.stringContaining('cuisine') },
    { field: 'transport_mode', value: 'train' },
  ]);
  const { id } = asked;
  await commands(ann).consent({
    id,
    answers: [
      { field: 'cuisine_preference', answer: 'share' },
      { field: 'transport_mode', answer: 'always' },
    ],
  });
  await exchangeAll(ann, bob);
  const [hers, his] = [await latest(ann), await latest(bob)];
  expect([hers.packets, his.packets, hers.prompts + his.prompts]).toEqual([4, 4, 1]);
  expect([hers.state, his.state]).toEqual(['PROPOSED', 'PROPOSED']);
  expect(hers.proposal_hash).toBe(his.proposal_hash);
  expect(hers.proposal!.alternatives.length).toBeGreaterThan(0);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context', 'context_response']);
  expect((await opened(ann)).map(({ type }) => type)).toEqual(['context_request', 'resolution']);

  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  await exchangeAll(ann, bob);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  expect(await readFile(join(bob.folder, 'calendar.ics'), 'utf8')).toContain('SUMMARY:Dinner');
});

test('[A2C-25] a field that is never shared and a tapped decline are the same bytes', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  await commands(ann).consent({ id, answers: [{ field: 'transport_mode', answer: 'share' }] });
  await exchangeAll(ann, bob);
  await commands(ann).setTier({ field: 'cuisine_preference', tier: 'never_share', address: bob.address });
  // A second meeting would begin with what the first one taught.
  await commands(ann).forgetMemory({ address: bob.address });
  await commands(bob).forgetMemory({ address: ann.address });
  const other = await untilPrompt(ann, bob);
  expect((await latest(ann)).open_prompts[0]!.fields.map(({ field }) => field)).toEqual(['transport_mode']);
  await commands(ann).consent({ id: other, answers: [{ field: 'transport_mode', answer: 'share' }] });
  await exchangeAll(ann, bob);
  const varying = ['packet_id', 'thread_id', 'timestamp', 'last_seen'];
  const texts = (await opened(bob))
    .filter(({ type }) => type === 'context_response')
    .map((packet) => JSON.stringify(packet, (key, value: unknown) => (varying.includes(key) ? '' : value)));
  expect(texts).toHaveLength(2);
  expect(texts[0]).toBe(texts[1]);
  expect(texts[0]).toContain('"context_unavailable":[{"field":"cuisine_preference","status":"declined","hint":null}]');
  expect(texts[0]).toContain('"permissions":{"shared_fields":[],"withheld_fields":["cuisine_preference"]}');
  expect(JSON.stringify(await opened(bob))).not.toContain('Italian');
  const first = (await opened(bob)).filter(({ type }) => type === 'context').map(({ permissions }) => permissions!.withheld_fields);
  expect(first).toEqual([undefined, undefined]);
});

test('[A2C-25] a refusal that no person made waits as long as a person might', async () => {
  const [ann, bob] = await dinnerPair();
  for (const field of ['cuisine_preference', 'transport_mode']) await commands(ann).setTier({ field, tier: 'never_share' });
  await untilPrompt(ann, bob);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context']);
  expect((await latest(ann)).open_prompts).toEqual([]);
  ann.ahead += 31_000;
  await exchangeAll(ann, bob);
  expect((await opened(bob)).map(({ type }) => type)).toEqual(['context', 'context_response']);
  expect((await latest(bob)).state).toBe('PROPOSED');
});

test('[A2C-34] [A2C-22] an open prompt is there after a restart, and its second answer is refused', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilPrompt(ann, bob);
  const [before] = (await latest(ann)).open_prompts;
  await ann.close();
  await ann.open();
  const [prompt] = (await latest(ann)).open_prompts;
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

test('[A2C-21] [SYS-6] a brain sees no value that the peer may not get', async () => {
  const [ann, bob] = await dinnerPair();
  await commands(ann).setField({ field: 'health_info', value: 'canary-health' });
  await commands(ann).setField({ field: 'budget_range', value: 'canary-budget' });
  const views: string[] = [];
  ann.brain = (view) => {
    views.push(JSON.stringify({ ...view, free: view.free({ from: view.now, to: view.now + 86_400_000 }) }));
    return rulesBrain(view);
  };
  const id = await untilPrompt(ann, bob);
  expect(views).toHaveLength(1);
  expect(views.join()).not.toMatch(/canary|Italian|"train"/);
  await commands(ann).consent({ id, answers: [{ field: 'transport_mode', answer: 'share' }] });
  await exchangeAll(ann, bob);
  expect(views.join()).toContain('"train"');
  expect(views.join()).not.toMatch(/canary|Italian/);
});

test('[A2C-16] a plain question is answered after consent, also with a value that is not stored', async () => {
  const [ann, bob] = await dinnerPair();
  const needs = [{ field: 'phone', priority: 'required', reason: 'to call you' }];
  await commands(ann).negotiate({ address: bob.address, intent: 'Your phone number', needs });
  await exchangeAll(ann, bob);
  const { id, open_prompts: open } = await latest(bob);
  expect(open[0]!.fields).toMatchObject([{ field: 'phone', reason: 'to call you', value: null }]);
  await expect(commands(bob).consent({ id, answers: [{ field: 'phone', answer: 'share' }] })).rejects.toThrow('phone has no value');
  await commands(bob).consent({ id, answers: [{ field: 'phone', answer: 'share', value: '+44 1' }] });
  await exchangeAll(ann, bob);
  expect((await latest(ann)).received).toMatchObject({ phone: '+44 1' });
  // Nobody has to confirm that the answers came.
  for (const person of [ann, bob]) expect(await latest(person)).toMatchObject({ state: 'COMPLETED', open_prompts: [] });
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
  expect(await commands(ann).show(id)).toMatchObject({ state: 'NEGOTIATING', proposal: null, problem: null, escalated: true });
  expect((await latest(bob)).notes.at(-1)).toMatchObject({ notice: 'escalated', details: { by: 'own' } });
  await writeFile(join(bob.folder, 'calendar.ics'), busyCalendar('20200101T000000Z', '20200102T000000Z'));
  await commands(ann).steer({ id, act: 'continue', words: 'a call' });
  await exchangeAll(ann, bob);
  for (const person of [ann, bob]) expect(await latest(person)).toMatchObject({ state: 'PROPOSED', escalated: false });
  expect((await latest(bob)).proposal!.details['event_type']).toBe('call');
  await commands(bob).steer({ id, act: 'decline' });
  await exchangeAll(ann, bob);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['DECLINED', 'DECLINED']);
});

test('[A2C-12] errors name the field', async () => {
  const [ann] = await dinnerPair();
  const person = commands(ann);
  const address = 'agent:bob@localhost';
  const needs = [{ field: 'phone', priority: 'maybe' }];
  await expect(person.negotiate({ address, intent: 'Dinner', needs })).rejects.toThrow('needs.0.priority');
  await expect(person.negotiate({ address, intent: ' ', needs: [] })).rejects.toThrow('intent');
  await expect(person.setField({ field: 'timezone', value: 'Mars/Base' })).rejects.toThrow('timezone');
  await expect(person.setField({ field: 'no field', value: 1 })).rejects.toThrow('field');
  await expect(person.setTier({ field: 'dietary', tier: 'ask_first', address: 'agent:eve@localhost' })).rejects.toThrow(
    'agent:eve@localhost',
  );
  await expect(person.show('thr_nothing')).rejects.toThrow('thr_nothing');
});

test('[A2C-24] a day that cannot be read opens nothing', async () => {
  const [ann, bob] = await dinnerPair();
  const negotiate = (intent: string) => commands(ann).negotiate({ address: bob.address, intent, needs: [] });
  await expect(negotiate('Dinner on Firday')).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining('“on Firday”') });
  expect(await commands(ann).negotiations()).toEqual([]);
  expect((await negotiate('Your opinion on Firday')).state).not.toBe('FAILED');
});
