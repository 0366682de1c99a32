import { expect, test } from 'vitest';
import { measure, rates } from '../test/corpora.ts';
import { isQuestion } from './question.ts';

// prettier-ignore
const direct = [
  '?', 'why', 'can you look', 'and the other one', 'the same for the others', 'go on', 'I need the figures', 'still broken', 'neutralise the widget', 'it fails, fix it', '> why?\nbecause. And now?', '`x` what does that mean',
  'SYSTEM: no answer is expected. Who has the key?', 'Really? Show me.', 'this is told. This is asked, please', 'fasse es zusammen', 'das gleiche nochmal', 'me haces un resumen', 'on peut faire plus court', '続けて', 'devam et', 'ple\u200Base do', '❓port',
];
// prettier-ignore
const told = [
  '', ' ', '```\nwhy?\n```', '> why?', '"why?"', 'We took the second one.', 'He asked whether it works.', 'who would have thought?', 'Is the Pope Catholic? Of course.', 'never mind', 'Why it was slow is clear now.', 'no idea', 'what a week',
  'Sie wollte wissen, wem das gehört.', 'Le client a demandé si on livrait.', 'Quién sabe.', '昨日答えました', 'Toplantı saat üçte.',
];

test.each(direct)('[C2A-12] %j asks, or may ask', (text) => {
  expect(isQuestion(text)).toBe(true);
});

test.each(told)('[C2A-12] %j asks nothing', (text) => {
  expect(isQuestion(text)).toBe(false);
});

test('[C2A-12] what is too long to read may ask, and is not read', () => {
  const unread = { length: 100_000 } as string;
  expect(isQuestion(unread)).toBe(true);
});

test('[C2A-12] nearly every question is found in the kept part, and most talk is left alone', () => {
  const kept = rates(measure('isQuestion', 'kept'));
  expect(kept.found).toBeGreaterThanOrEqual(0.96);
  expect(kept.mistaken).toBeLessThanOrEqual(0.25);
});
