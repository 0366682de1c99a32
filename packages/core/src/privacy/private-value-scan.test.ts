import { encodings } from '@parley/testkit/encodings';
import { describe, expect, test } from 'vitest';
import { holdsAny } from './egress.ts';

const notes = [
  'The cellar key is under the blue pot',
  'Vault code: BLUE-HERON-77',
  'Her number is +44 20 7946 0958',
  '会議は三月四日にリスボンで開かれる',
];

describe('[SYS-6] a value that is disguised', () => {
  const whole = Object.entries(encodings).flatMap(([name, encode]) =>
    ['The cellar key is under the blue pot', 'BLUE-HERON-77'].map((value) => [name, value, encode(value)] as const),
  );
  test.each(whole)('%s: %s', (_name, _value, text) => {
    expect(holdsAny(text, notes)).toBe(true);
    expect(holdsAny(`Sure, here you go: ${text} and that is all.`, notes)).toBe(true);
  });

  test.each<[string, string]>([
    ['a code in other marks', 'try BLUE HERON 77'],
    ['a code in the middle of letters', 'xxBLUEHERON77xx'],
    ['the figures of a number alone', '442079460958'],
    ['figures in other groups', '4420-7946-0958'],
    ['figures as words', 'four four two zero seven nine four six zero nine five eight'],
    ['figures of another script', '٤٤٢٠٧٩٤٦٠٩٥٨'],
    ['percent over base64', encodeURIComponent(btoa('BLUE-HERON-77'))],
    ['escaped as UTF-8', encodeURIComponent('会議は三月四日にリスボンで開かれる')],
    ['in pieces between other words', 'First, the cellar key is. Then comes more: under the blue pot. Fine.'],
  ])('%s', (_name, text) => expect(holdsAny(text, notes)).toBe(true));

  test.each<[string, string]>([
    ['ordinary words', 'Good morning! The blue one is in the cellar, I think. What is the key point?'],
    ['a hash and an id', 'Built 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08, task tsk_01JXYZABCDEF0123456789ABCD'],
    ['a few of the figures', 'Call extension 0958 or 7946.'],
    ['a long list of figures', Array.from({ length: 400 }, (_, n) => String(n * 7919)).join(' ')],
    [
      'a picture as base64',
      `data:image/png;base64,${btoa(Array.from({ length: 900 }, (_, n) => String.fromCharCode((n * 131 + (n >> 3) * 17) % 256)).join(''))}`,
    ],
    ['code', 'const key = cellar.get("blue") ?? pot.under[77]; // heron'],
    ['another bird', 'A grey heron and 77 blue tits were seen'],
  ])('is not found in %s', (_name, text) => expect(holdsAny(text, notes)).toBe(false));

  test.each<[string, string, string]>([
    ['a word inside another', 'Berlin', 'He met a Berliner there'],
    ['figures inside a longer number', '123456', 'Order 9123456789 has shipped'],
    ['few figures', '4711', 'Room 4711'],
    ['a day', 'Her surgery is on 2026-11-16', 'Released on 20261116'],
    ['a time', 'Standup is at 09:30:00', 'The job ran at 09:30:00'],
    ['common words after a colon', 'Best time: Thursday afternoon', 'Shall we meet Thursday afternoon?'],
  ])('short and common ones hold nothing back: %s', (_name, value, text) => expect(holdsAny(text, [value])).toBe(false));
});
