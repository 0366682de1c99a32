import fc from 'fast-check';
import ical from 'node-ical';
import { expect, test } from 'vitest';
import { textCalendar } from './folder-calendar.ts';
import { readCalendar } from './read-calendar.ts';

const hour = 3_600_000;

/** A calendar of a peer's own that is in memory. */
function ownCalendar() {
  let text: string | undefined;
  const texts = { own: async () => text, replaceOwn: async (next: string) => void (text = next), linked: async () => '' };
  return { calendar: textCalendar(texts, fetch), read: () => text! };
}

/** Parts of which a replacement, another event or its end could be made. */
const marks = ['END:VCALENDAR', 'BEGIN:VEVENT', 'END:VEVENT', 'UID:u0'];
const word = fc.constantFrom('$&', '$`', "$'", '$$', '$1', ...marks, '\r\n', '\n', '\r', ' ', 'Café');
/** Marks at both ends, and at the end of a folded line. */
const edge = fc.constantFrom('x', ...marks);
const place = fc.oneof(
  fc.tuple(edge, fc.array(word, { maxLength: 30 }), edge).map(([first, parts, last]) => `${first}${parts.join('')}${last}`),
  fc.tuple(fc.nat(70), edge, edge).map(([length, mark, last]) => `${'x'.repeat(length)}${mark}${last}`),
  fc.string({ maxLength: 40 }).map((text) => `x${text}y`),
);

test('[A2C-24] [A2C-29] each event added is one event, whatever its words, and is taken out alone', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(place, { minLength: 1, maxLength: 6 }), async (places) => {
      const { calendar, read } = ownCalendar();
      for (const [at, words] of places.entries()) {
        const event = { uid: `u${at}`, from: at * hour, to: (at + 1) * hour, summary: words, place: words };
        await calendar.add(event, 0);
      }
      const uids = places.map((_, at) => `u${at}`);
      const span = { from: 0, to: 100 * hour, zone: 'UTC' };
      const { events, problems } = readCalendar(read(), span);
      expect([events.map(({ uid }) => uid).toSorted(), problems]).toEqual([uids, []]);
      const edges = ['x', 'y', ...marks];
      const isWhole = (text = ''): boolean => edges.some((one) => text.startsWith(one)) && edges.some((one) => text.endsWith(one));
      expect(events.every(({ place: found, summary }) => found === summary && isWhole(found))).toBe(true);
      expect(Object.keys(ical.sync.parseICS(read())).filter((key) => key !== 'vcalendar')).toEqual(uids);
      await calendar.remove('u0', 0);
      expect(readCalendar(read(), span).events.map(({ uid }) => uid)).toEqual(uids.slice(1));
    }),
    { numRuns: 100, examples: [[['x$`$`$`y', 'x$&y', 'x$$$ grilly']], [['xUID:u0', 'y', 'z'].map((one) => `x${one}y`)]] },
  );
});

test('[A2C-29] the dollars of a place are kept', async () => {
  const { calendar, read } = ownCalendar();
  await calendar.add({ uid: 'u', from: 0, to: hour, summary: 'Dinner', place: '$$$ grill' }, 0);
  expect(read()).toContain('LOCATION:$$$ grill\r\n');
});
