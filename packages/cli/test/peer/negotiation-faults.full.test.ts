import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { answerProposal, rulesBrain } from '@parley/peer';
import { commands, dinnerPair, eventsOf, exchangeAll, latest, opened, untilPrompt, untilProposal } from './negotiation-kit.ts';

const program = fileURLToPath(new URL('negotiating-process.ts', import.meta.url));

test('[A2C-26] of proposals that cross, both sides have the initiator’s', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  // Neither waits for the other.
  for (const person of [ann, bob]) person.brain = (view) => rulesBrain({ ...view, awaitsProposal: false });
  for (const [person, text] of [
    [ann, 'Saturday'],
    [bob, 'Sunday'],
  ] as const)
    await answerProposal(person.negotiations, id, { kind: 'different', text });
  await exchangeAll(ann, bob);
  const [hers, his] = [await latest(ann), await latest(bob)];
  expect([hers.state, his.state, hers.proposal?.hash]).toEqual(['PROPOSED', 'PROPOSED', his.proposal?.hash]);
  expect(await latest(bob)).toMatchObject({ isConfirmed: false, openPrompts: [{ kind: 'proposal' }] });
});

test('[A2C-26] both want something different at once: the initiator proposes it', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const before = (await latest(ann)).proposal!;
  await answerProposal(ann.negotiations, id, { kind: 'excuse' });
  await answerProposal(bob.negotiations, id, { kind: 'different', text: 'Sunday 20:00' });
  await exchangeAll(ann, bob);
  const { state, proposal } = await latest(bob);
  expect(state).toBe('PROPOSED');
  expect(proposal!.details['start']).not.toBe(before.details['start']);
  expect(proposal!.summary).toContain('Sunday');
});

test('[A2C-26] an excuse asks for another time, and its reason is in no packet', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const before = (await latest(ann)).proposal!;
  await commands(ann).confirm({ id, answer: { kind: 'excuse' } });
  await exchangeAll(ann, bob);
  const excuse = (await opened(bob)).find(({ type }) => type === 'resolution_response');
  expect(excuse).toMatchObject({ status: 'declined', reason_class: 'scheduling_conflict', actual_reason: null });
  const { state, proposal } = await latest(ann);
  expect([state, proposal!.details['start'] === before.details['start']]).toEqual(['PROPOSED', false]);
});

test.each(['before', 'after'] as const)('[A2C-29] a kill %s the event is written leaves one event', async (when) => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  await commands(bob).confirm({ id, answer: { kind: 'confirm' } });
  await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  await bob.close();
  const child = spawn(process.execPath, ['--no-warnings', program, bob.folder, when], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
  expect(await eventsOf(bob)).toBe(when === 'after' ? 1 : 0);
  await bob.open();
  await exchangeAll(bob, ann);
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  expect([(await latest(ann)).state, (await latest(bob)).state]).toEqual(['COMPLETED', 'COMPLETED']);
});

test('[A2C-34] a calendar that cannot be read delays the answer until it can', async () => {
  const [ann, bob] = await dinnerPair();
  const missing = join(bob.folder, 'work.ics');
  const empty = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', 'END:VCALENDAR', ''].join('\r\n');
  await writeFile(missing, empty);
  await commands(bob).linkCalendar({ path: missing });
  await rm(missing);
  await untilPrompt(ann, bob);
  expect((await latest(bob)).notes.map(({ notice }) => notice)).toEqual(['calendar_unreadable']);
  await writeFile(missing, empty);
  await exchangeAll(bob, ann);
  expect((await latest(ann)).openPrompts).toHaveLength(1);
});

test('[A2C-29] an action that fails is undone at the other side, and a new proposal follows', async () => {
  const [ann, bob] = await dinnerPair();
  const id = await untilProposal(ann, bob);
  const calendar = { ...ann.calendar };
  ann.calendar.add = async () => {
    throw new Error('The disk is full');
  };
  const confirmBoth = async (): Promise<void> => {
    for (const person of [bob, ann]) await commands(person).confirm({ id, answer: { kind: 'confirm' } });
    await exchangeAll(ann, bob);
  };
  const first = (await latest(ann)).proposal?.hash;
  await confirmBoth();
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([0, 0]);
  const [hers, his] = [await latest(ann), await latest(bob)];
  expect([hers.state, his.state, hers.proposal?.hash]).toEqual(['PROPOSED', 'PROPOSED', his.proposal?.hash]);
  expect(hers.proposal?.hash).not.toBe(first);
  expect(his.notes.find(({ notice }) => notice === 'failed')!.details).toMatchObject({ constraint: 'add_calendar_event failed' });
  ann.calendar.add = (...event) => calendar.add(...event);
  await confirmBoth();
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
});

test('[A2C-26] a second meeting at the same time is refused to a person who is busy then', async () => {
  const [ann, bob] = await dinnerPair();
  for (const field of ['cuisine_preference', 'transport_mode']) await commands(ann).setTier({ field, tier: 'always_share' });
  const first = await untilPrompt(ann, bob);
  const second = await untilPrompt(ann, bob);
  const starts = (await commands(ann).all()).map(({ proposal }) => proposal?.details['start']);
  expect(starts).toEqual([expect.any(String), starts[0]]);
  const confirm = (person: typeof ann, id: string) => commands(person).confirm({ id, answer: { kind: 'confirm' } });
  await confirm(bob, first);
  await confirm(ann, first);
  await exchangeAll(ann, bob);
  for (const person of [ann, bob])
    await expect(confirm(person, second)).rejects.toThrow(
      /^Your calendar has something else then: Friday \d+ \w+, \d\d:00–\d\d:00( \(.+\))?\. Confirm anyway to keep both, or suggest another time\.$/,
    );
  // However often they tap: only an answer about the event that they read keeps both.
  await expect(confirm(ann, second)).rejects.toMatchObject({ code: 'calendar_conflict' });
  expect([await eventsOf(ann), await eventsOf(bob)]).toEqual([1, 1]);
  const { conflict } = (await commands(ann).show(second)).openPrompts[0]!;
  expect(conflict).toMatch(/^Friday \d+ \w+, \d\d:00–\d\d:00/);
  await commands(ann).confirm({ id: second, answer: { kind: 'confirm', anyway: true } });
  expect((await commands(ann).show(second)).isConfirmed).toBe(true);
  // A calendar that cannot be read blocks nothing.
  await writeFile(join(bob.folder, 'calendar.ics'), 'no calendar');
  await confirm(bob, second);
});
