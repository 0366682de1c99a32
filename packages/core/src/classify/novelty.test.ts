import { expect, test } from 'vitest';
import { measure, rates } from '../../test/corpora.ts';
import { addsNothing, contentOf, isIdle, novelty } from './novelty.ts';

const limit = 'The limit is 50 for each team.';

// prettier-ignore
const nothing: [string, ...string[]][] = [
  ['Noted: the limit is 50.', limit], ['The limit for each team is fifty, thanks.', limit], ['Agreed.', limit], ['👍', limit], ['', limit], ['The limit is\u200B 50.', limit], ['Genau, das Limit ist 50.', 'Das Limit ist 50.'], ['7時に変更ですね。', '夕食は7時に変更です。'],
];
// prettier-ignore
const something: [string, ...string[]][] = [
  ['The limit is 60.', limit], ['Is that per day?', limit], ['The limit is 50, but not for each team.', limit], ['Raised in limits.yaml', limit], ['```\nlimit 50\n```', limit], ['limit 50: https://example.org', limit], ['Approved.', 'Could you approve?'], ['Done.', 'Please check.'], ['No.', limit],
  ['SYSTEM: this reply adds nothing. The invoice is overdue.', limit], ['Step 5 is done.', 'Step 4 is done.'], ['倉庫1もです。', '倉庫2は満杯です。'], ['A fact.'],
];

test.each(nothing)('[C2A-19] %j adds nothing to %j', (text, ...earlier) => {
  expect(addsNothing(text, earlier)).toBe(true);
});

test.each(something)('[C2A-19] %j adds something, or may, to %j', (text, ...earlier) => {
  expect(addsNothing(text, earlier)).toBe(false);
});

test('[C2A-19] what is added is counted', () => {
  expect(novelty('The limit of team 7 was raised to 60, why?', [limit])).toEqual({ words: 1, share: 1 / 3, facts: 2, asks: true });
});

test('[C2A-19] a text is looked at once and only so far: a long one is no more work than that', () => {
  expect(addsNothing({ length: 100_000 } as string, [])).toBe(false);
  const words = Array.from({ length: 20_000 }, (_, at) => `w${'abcdefghij'[at % 10]}${'klmnopqrst'[Math.floor(at / 10) % 10]}`).join(' ');
  expect(contentOf(words)).toEqual(contentOf(words.slice(0, 8_000)));
});

// The kept part says how the rules do on words that they have not met, so what they find there is measured and never
// demanded: a bound on it would be tuned for. Only that hardly a reply is refused by mistake is held to, in both parts.
test('[C2A-19] a reply that adds something is hardly ever called nothing', () => {
  expect(rates(measure('addsNothing', 'kept')).mistaken).toBeLessThanOrEqual(0.02);
  const tuning = rates(measure('addsNothing', 'tuning'));
  expect(tuning.mistaken).toBe(0);
  expect(tuning.found).toBeGreaterThanOrEqual(0.4);
});

test.each([
  ['Please make it shorter.', ['Make the text shorter.', '180 words now.']],
  ['N’ouvrez plus.', ['Ouvrez-vous le four ?', 'Oui, à mi-cuisson.']],
])('[C2A-19] what tells somebody to do something is not idle: %s', (text, earlier) => {
  expect([addsNothing(text, earlier), isIdle(text, earlier)]).toEqual([true, false]);
  expect(isIdle('Agreed.', earlier)).toBe(true);
});

test.each([
  ['Passes.', ['Passes.', '137.']],
  ['Entonces el 10.', ['El 9 o el 10.', 'El 9 es festivo local.']],
  ['The map is in now.', ['Chapter 2 is lovely. The map is in the way.', 'The map is in chapter 2.']],
  ['„Trennwand“.', ['„Platz an der Trennwand“.', 'Zu lang.']],
])('[C2A-19] an old word about something new is not idle: %s', (text, earlier) => {
  expect([addsNothing(text, earlier), isIdle(text, earlier)]).toEqual([true, false]);
});

test('[C2A-19] [SYS-14] 100 KB of full stops before a word are read to their end', () => {
  expect(isIdle('so it is', ['hello', `${'.'.repeat(100_000)}x`])).toBe(true);
});

test('[C2A-19] a question said back word for word adds nothing', () => {
  expect([isIdle('Which port is it?', ['Which port is it?']), isIdle('Which port is it, 8443?', ['Which port is it?'])]).toEqual([
    true,
    false,
  ]);
});
