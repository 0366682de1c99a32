import { expect, onTestFinished, test } from 'vitest';
import { CalendarThread } from './calendar-thread.ts';

const [start, day] = [Date.parse('2026-03-23T10:30Z'), 86_400_000];
const span = { from: start, to: start + 28 * day, zone: 'Europe/Berlin' };
const event = 'BEGIN:VEVENT\nUID:x\nDTSTART:20260325T090000Z\nDTEND:20260325T100000Z\nEND:VEVENT\n';
const textOf = (events: string): string => `BEGIN:VCALENDAR\n${events}END:VCALENDAR\n`;
const inMarch = { from: Date.parse('2026-03-25T09:00Z'), to: Date.parse('2026-03-25T10:00Z') };

/** Time passes only when the test says so. */
function startThread() {
  let pass = (): void => {};
  const wait = () => new Promise<void>((resolve) => (pass = resolve));
  const requests: string[] = [];
  const thread = new CalendarThread({
    wait,
    fetch: async ({ url }) => {
      requests.push(url);
      return { status: 404, statusText: 'Not Found', headers: [], body: new Uint8Array() };
    },
  });
  onTestFinished(() => thread.stop());
  return { thread, pass: () => pass(), requests };
}

test('[A2C-24] a calendar that takes too long ends its reading, and the next one is read', async () => {
  const { thread, pass } = startThread();
  await expect(thread.readText(textOf(''), span)).resolves.toEqual({ events: 0, busy: [] });
  pass();
  const slow = thread.readText(textOf(event.repeat(49_999)), span);
  const next = thread.readText(textOf(event), span);
  const refusal = slow.catch((error: Error) => error.message);
  await new Promise(setImmediate);
  pass();
  expect(await refusal).toContain('took longer than 10 seconds');
  await expect(next).resolves.toEqual({ events: 1, busy: [inMarch] });
  // Nobody pays twice for it.
  await expect(thread.readText(textOf(event.repeat(49_999)), span)).rejects.toThrow('took longer than 10 seconds');
});

test('a text is read once for a day, and answers with the time that is asked', async () => {
  const { thread } = startThread();
  const text = textOf(event);
  const first = await thread.readText(text, span);
  await thread.stop();
  const later = { ...span, from: inMarch.from + 1000 };
  expect(await thread.readText(text, { ...span, from: start + 3_600_000 })).toEqual(first);
  expect((await thread.readText(text, later)).busy).toEqual([inMarch]);
  expect((await thread.readText(text, { ...span, from: inMarch.to })).busy).toEqual([]);
});

test('[A2C-24] a server is asked through the hub, and refusals are errors of the input', async () => {
  const { thread, requests } = startThread();
  const server = { url: 'https://cal.example/ann/', username: 'ann', password: 'x' };
  await expect(thread.readServer(server, span)).rejects.toMatchObject({ name: 'PeerCallError', code: 'bad_input' });
  expect(requests).toEqual([server.url]);
  await expect(thread.readText('VERSION:2.0', span)).rejects.toThrow('Line 1 is outside of a calendar');
});
