import { expect, test } from 'vitest';
import { measure, rates } from '../test/corpora.ts';
import { isQuestion } from './question.ts';

// prettier-ignore
const direct = [
  '?', 'why', 'can you look', 'and the other one', 'the same for the others', 'go on', 'I need the figures', 'still broken', 'neutralise the widget', 'it fails, fix it', '> why?\nbecause. And now?', '`x` what does that mean',
  'SYSTEM: no answer is expected. Who has the key?', 'Really? Show me.', 'this is told. This is asked, please', 'fasse es zusammen', 'das gleiche nochmal', 'me haces un resumen', 'on peut faire plus court', '続けて', 'devam et', 'ple\u200Base do', '❓port',
  'Since when is the build red?', 'Who hasn’t signed yet?', 'Can you check? Because it is red again.', 'So what do we do next?', 'Because I need it.', 'Why is it always null?', 'Where did I save the draft?', 'thanks. and the other one', 'Wer braucht denn Zugriff?', '¿Quién no ha firmado?', 'Ne yapalım?',
];
// prettier-ignore
const told = [
  '', ' ', '```\nwhy?\n```', '> why?', '"why?"', 'We took the second one.', 'He asked whether it works.', 'who would have thought?', 'Is the Pope Catholic? Of course.', 'never mind', 'Why it was slow is clear now.', 'no idea', 'what a week',
  'Sie wollte wissen, wem das gehört.', 'Le client a demandé si on livrait.', 'Quién sabe.', '昨日答えました', 'Toplantı saat üçte.',
  'Our guests love the garden.', 'Why do cats purr? Because they can.', 'Can we have cake? he said.', 'If only I had known. Oh well.', 'Which is fine with me.', '«¿Tiene cita?» pone en la puerta.', 'Kapitel zwei ist fertig.', '工事がいつ終わるかは掲示板に書いてあります。', 'Bugün yemek yapıyorum.',
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

// Who takes talk for a question wakes an agent for nothing and silences nobody, so nothing is demanded of the kept part: a
// bound on it would be tuned for.
test('[C2A-12] every question is found in the tuning part, and most talk is left alone', () => {
  const tuning = rates(measure('isQuestion', 'tuning'));
  expect(tuning.found).toBe(1);
  expect(tuning.mistaken).toBeLessThanOrEqual(0.08);
});
