import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { inviteReply } from '../../src/commands/peer/outside.ts';
import { commands, eventsOf } from './negotiation-kit.ts';
import { newPerson, type Person } from './people-kit.ts';
import { startRelay } from './relay-kit.ts';

let ann: Person;

beforeEach(async () => {
  ann = await newPerson(await startRelay(), 'ann');
});

const ask = (changes: Partial<Parameters<ReturnType<typeof commands>['ask']>[0]> = {}) =>
  commands(ann).ask({ name: 'Carla', intent: 'Dinner', ...changes });
const reply = (id: string, words: string) => commands(ann).passOn({ id, reply: { kind: 'words', text: words } });
const dinnerInTenDays = (): string => `Dinner on ${new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)}`;
/** Sealed or not, whatever goes to the relay. */
const packets = async (): Promise<number> =>
  (await ann.store.list('packet', 0, 100)).length + (await ann.store.list('outbox', 0, 100)).length;

test('[A2C-11] a text asks, the pasted answer joins the negotiation, and one tap ends it with the event', async () => {
  const asked = await ask();
  const { outside, id } = asked;
  expect(asked.state).toBe('INITIATED');
  expect(outside).toMatchObject({ name: 'Carla', awaitsReply: true, reply: null });
  expect(outside!.text).toContain('Hi Carla,');
  expect(outside!.text).toContain('Ann asks: Dinner');
  expect(outside!.times).toHaveLength(3);
  for (const [place, words] of outside!.times.entries()) expect(outside!.text).toContain(`${place + 1}. ${words}`);

  const answered = await reply(id, 'Number 2 works for me');
  expect(answered).toMatchObject({ state: 'PROPOSED', isConfirmed: false, openPrompts: [{ kind: 'proposal' }] });
  expect(answered.proposal!.summary).toBe(outside!.times[1]);
  expect(await eventsOf(ann)).toBe(0);

  const done = await commands(ann).confirm({ id, answer: { kind: 'confirm' } });
  expect(done.state).toBe('COMPLETED');
  expect(done.outside!.text).toContain(`it is fixed: ${outside!.times[1]} (zone Europe/London).`);
  expect(await eventsOf(ann)).toBe(1);
  expect(await readFile(join(ann.folder, 'calendar.ics'), 'utf8')).toContain('Dinner with Carla');
  expect(await packets()).toBe(0);
});

test('[A2C-11] [A2C-28] the answer is bound to the proposal that the offered time makes', async () => {
  const { id } = await ask();
  const offered = (await ann.negotiations.find(id)).outside!.offer!.times;
  const answered = await reply(id, '3');
  expect(answered.proposal?.hash).toBe(offered[2]!.hash);
  expect(new Set(offered.map(({ hash }) => hash)).size).toBe(3);
  const { machine } = await ann.negotiations.find(id);
  expect(machine.proposal).toMatchObject({ hash: offered[2]!.hash, ownConfirmed: false, peerConfirmation: expect.stringMatching(/^pkt_/) });
});

test('[A2C-11] an answer that means more than one thing changes nothing; the person says what was meant', async () => {
  const { id } = await ask();
  await expect(reply(id, 'Hm, that depends')).rejects.toMatchObject({ code: 'bad_input', message: expect.stringContaining('1 to 3') });
  expect((await commands(ann).show(id)).state).toBe('INITIATED');
  await expect(commands(ann).passOn({ id, reply: { kind: 'works', option: 4 } })).rejects.toMatchObject({ code: 'bad_input' });
  const meant = await commands(ann).passOn({ id, reply: { kind: 'works', option: 1, text: 'Hm, that depends' } });
  expect(meant.state).toBe('PROPOSED');
  await expect(reply(id, '2')).rejects.toMatchObject({ code: 'answered' });
  await expect(reply(id, 'x'.repeat(501))).rejects.toMatchObject({ code: 'bad_input' });
});

test('[A2C-11] in a terminal, words about a time that was not offered lead to the flags', async () => {
  const { id } = await ask();
  await ann.close();
  const silent = { json: true, result: () => {}, note: () => {} };
  const unlisted = inviteReply({ output: silent, env: {}, data: ann.folder }, id, 'at 3 in the night on Mars', {});
  await expect(unlisted).rejects.toMatchObject({ exit: 'usage', hint: expect.stringMatching(/--option 2 .*--other .*--cannot/) });
  await ann.open();
});

test('[A2C-11] another wish goes to the person, and the next text offers other times', async () => {
  const { id, outside } = await ask();
  const wish = 'Saturday 20:00 at Dopo <script>alert(1)</script>';
  const wished = await commands(ann).passOn({ id, reply: { kind: 'other', text: wish } });
  expect(wished).toMatchObject({ state: 'NEGOTIATING', openPrompts: [{ kind: 'escalation' }] });
  expect(wished.notes.findLast(({ notice }) => notice === 'escalated')!.details['suggested_prompt']).toContain(`“${wish}”`);
  await commands(ann).steer({ threadId: id, act: 'continue' });
  const next = await commands(ann).show(id);
  expect(next.openPrompts).toEqual([]);
  expect(next.outside!.awaitsReply).toBe(true);
  expect(next.outside!.times[0]).toMatch(/Saturday .*20:00/);
  for (const words of outside!.times) expect(next.outside!.times).not.toContain(words);
  expect((await reply(id, '1')).state).toBe('PROPOSED');
});

test('[A2C-11] who can’t ends it, and a late answer changes nothing', async () => {
  const { id } = await ask();
  expect((await reply(id, 'None of these, sorry')).state).toBe('DECLINED');
  await expect(reply(id, '1')).rejects.toMatchObject({ code: 'answered' });
});

test('[A2C-11] silence stalls it after two days, and an answer still counts', async () => {
  const { id } = await ask({ intent: dinnerInTenDays() });
  ann.ahead += 49 * 3_600_000;
  expect((await commands(ann).show(id)).state).toBe('STALLED');
  expect((await reply(id, '1')).state).toBe('PROPOSED');
});

test('[A2C-11] who waits on keeps what they sent; with words of their own they offer other times', async () => {
  const { id, outside } = await ask({ intent: dinnerInTenDays() });
  ann.ahead += 49 * 3_600_000;
  await commands(ann).steer({ threadId: id, act: 'continue' });
  const waiting = await commands(ann).show(id);
  expect([waiting.state, waiting.outside]).toEqual(['NEGOTIATING', outside]);
  await commands(ann).steer({ threadId: id, act: 'continue', words: 'Lunch would do too' });
  expect((await commands(ann).show(id)).outside!.times).not.toEqual(outside!.times);
});

test('[A2C-11] a time that is over is not proposed', async () => {
  const { id, outside } = await ask();
  ann.ahead += 30 * 86_400_000;
  await expect(reply(id, '1')).rejects.toMatchObject({
    code: 'answered',
    message: expect.stringContaining(`“${outside!.times[0]}” is over`),
  });
  expect((await commands(ann).show(id)).outside!.reply).toBeNull();
});

test('[A2C-11] [A2C-34] the text, its answer and the prompt are there after a restart', async () => {
  const { id, outside } = await ask();
  await ann.close();
  await ann.open();
  expect((await commands(ann).show(id)).outside).toEqual(outside);
  await reply(id, '1');
  await ann.close();
  await ann.open();
  expect(await commands(ann).show(id)).toMatchObject({ state: 'PROPOSED', openPrompts: [{ kind: 'proposal' }] });
});

test('[A2C-11] [A2C-21] the text has what is always shared, stated or consented to, and nothing else', async () => {
  const peer = commands(ann);
  for (const [field, value] of [
    ['location_preference', 'Dopo in Soho'],
    ['health_info', 'no nuts'],
  ] as const)
    await peer.setField({ field, value });
  const inLondon = (locale: string, options: Intl.DateTimeFormatOptions): string =>
    new Intl.DateTimeFormat(locale, { timeZone: 'Europe/London', ...options }).format(Date.now() + 86_400_000);
  const busy = inLondon('sv-SE', { dateStyle: 'short' }).replaceAll('-', '');
  const event = ['BEGIN:VEVENT', 'UID:1', `DTSTART;VALUE=DATE:${busy}`, 'SUMMARY:Operation', 'END:VEVENT'];
  await writeFile(
    join(ann.folder, 'busy.ics'),
    ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//x', ...event, 'END:VCALENDAR', ''].join('\r\n'),
  );
  await peer.linkCalendar({ path: join(ann.folder, 'busy.ics') });

  const careful = await ask();
  expect(careful.outside!.text).not.toMatch(/Soho|nuts|Operation/);
  expect(careful.outside!.hint).toContain('your calendar was not used');
  const share = ['time_windows', 'location_preference', 'health_info'];
  const open = await ask({ share });
  expect(open.outside!.text).toContain('Dopo in Soho');
  expect(open.outside!.text).not.toMatch(/nuts|Operation/);
  expect(open.outside!.hint).toContain('when you are free');
  const tomorrow = inLondon('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
  expect(careful.outside!.text).toContain(tomorrow);
  expect(open.outside!.text).not.toContain(tomorrow);
  await peer.setTier({ field: 'time_windows', tier: 'never_share' });
  await peer.setTier({ field: 'timezone', tier: 'never_share' });
  const closed = await ask({ share });
  expect(closed.outside!.hint).toContain('your calendar was not used');
  expect(closed.outside!.text).toContain('zone UTC');
});

test('[A2C-11] a request without a meeting, and a name of no letters, are refused with the field', async () => {
  await expect(ask({ intent: 'Where is the key?' })).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining('names no meeting'),
  });
  await expect(ask({ name: ' ' })).rejects.toMatchObject({ message: expect.stringContaining('name needs 1 to 80') });
  await expect(ask({ share: ['a b'] })).rejects.toMatchObject({ message: expect.stringContaining('share') });
  await expect(commands(ann).reply({ threadId: 'thr_none', reply: { kind: 'words', text: '1' } })).rejects.toMatchObject({
    code: 'unknown_id',
  });
  expect(await commands(ann).negotiations()).toEqual([]);
});
