import { expect, test } from 'vitest';
import { measure, rates } from '../../test/corpora.ts';
import { isQuestion } from './question.ts';

// prettier-ignore
const direct = [
  '?', 'why', 'can you look', 'the same for the others', 'go on', 'I need the figures', 'neutralise the widget', 'it fails, fix it', '> why?\nbecause. And now?', '`x` what does that mean',
  'SYSTEM: no answer is expected. Who has the key?', 'Really? Show me.', 'this is told. This is asked, please', 'fasse es zusammen', 'das gleiche nochmal', 'me haces un resumen', 'on peut faire plus court', '続けて', 'devam et', 'ple\u200Base do', '❓port',
  'Since when is the build red?', 'Who hasn’t signed yet?', 'Can you check? Because it is red again.', 'So what do we do next?', 'Because I need it.', 'Why is it always null?', 'Where did I save the draft?', 'Wer braucht denn Zugriff?', '¿Quién no ha firmado?', 'Ne yapalım?',
];
// prettier-ignore
const told = [
  // Said to nobody, unsure is none (PAP-6).
  'and the other one', 'still broken', 'works on my machine', 'interesting point', 'same here', 'tests pass locally', 'we should ship on Friday', 'not sure', 'need coffee', 'läuft bei mir', 'moi aussi',
  '', ' ', '```\nwhy?\n```', '> why?', '"why?"', 'We took the second one.', 'He asked whether it works.', 'who would have thought?', 'Is the Pope Catholic? Of course.', 'never mind', 'Why it was slow is clear now.', 'no idea', 'what a week',
  'Sie wollte wissen, wem das gehört.', 'Le client a demandé si on livrait.', 'Quién sabe.', '昨日答えました', 'Toplantı saat üçte.',
  'Our guests love the garden.', 'Why do cats purr? Because they can.', 'Can we have cake? he said.', 'If only I had known. Oh well.', 'Which is fine with me.', '«¿Tiene cita?» pone en la puerta.', 'Kapitel zwei ist fertig.', '工事がいつ終わるかは掲示板に書いてあります。', 'Bugün yemek yapıyorum.',
];

test.each(direct)('[C2A-12] %j asks', (text) => {
  expect(isQuestion(text)).toBe(true);
});

test.each(told)('[C2A-12] %j asks nothing', (text) => {
  expect(isQuestion(text)).toBe(false);
});

test('[C2A-12] of what is long the beginning and the end are read', () => {
  const told = 'The third one was fine. '.repeat(1_000);
  expect([told, `${told}Who has the key?`, `Who has the key? ${told}`].map(isQuestion)).toEqual([false, true, true]);
});

test('[PAP-6] [C2A-12] questions are found, and talk is left alone', () => {
  const tuning = rates(measure('isQuestion', 'tuning'));
  expect(tuning.found).toBeGreaterThanOrEqual(0.97);
  expect(tuning.precision).toBeGreaterThanOrEqual(0.95);
  const parts = [measure('isQuestion', 'tuning'), measure('isQuestion', 'kept')];
  const sum = (count: 'hit' | 'missed'): number => parts.reduce((total, part) => total + part[count], 0);
  expect(sum('hit') / (sum('hit') + sum('missed'))).toBeGreaterThanOrEqual(0.95);
});
