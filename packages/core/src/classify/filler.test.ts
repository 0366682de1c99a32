import { expect, test } from 'vitest';
import { measure, rates } from '../../test/corpora.ts';
import { isFiller } from './filler.ts';

// prettier-ignore
const filler = [
  'thanks', 'Thanks!', 'THANK YOU', 'thx', 'got it', 'Got it.', 'nice', '👍', '👍🏽👍🏽', '🎉 🎉', '❤️', 'ok', 'ok thanks', 'ok, thanks so much!', 'thanks again :)',
  'nice and thanks', 'oh wow, thanks everyone', 'you’re welcome', 'sounds good 👍', ':)', '<3', '谢谢！', 'ありがとう。', 'merci', '+1', 'haha', '*thanks*',
  '¡gracias!', 'bon week-end !', '10-4', 'good luck', 'gute Besserung', 'bon courage', 'お大事に', 'kolay gelsin',
];
// prettier-ignore
const requests = [
  '', ' ', '!', '...', 'thanks?', 'ok?', 'got it?', '👍?', '❓', 'thanks, now deploy it', 'ok do it', 'nice, what next', 'thanks and', 'again', 'ok again', 'yes', 'no', 'sure',
  '👎', '🛑', '🆘 🙏', '👀', 'ok 👎', 'na toll', 'looks good', 'go ahead', 'thank', 'thank bob', 'copy that', 'welcome', 'not great', 'thanks for nothing', 'hello', 'hi', 'everyone', 'fix it 👍', 'nice 2', 'hola', 'no pasa nada', 'con gusto', 'likewise', 'good luck with it', 'take care of it', `thanks ${'very '.repeat(60)}much`,
];

test.each(filler)('[PAP-2] %j asks for nothing', (text) => {
  expect(isFiller(text)).toBe(true);
});

test.each(requests)('[PAP-2] %j is not filler: what is not on the list may ask for something', (text) => {
  expect(isFiller(text)).toBe(false);
});

// The kept part says how the rules do on words that they have not met, so what they find there is measured and never
// demanded: a bound on it would be tuned for. Only that nobody is silenced is held to, in both parts.
test('[C2A-14] [C2A-18] a request taken for filler: 0, in the kept part as well', () => {
  expect(measure('isFiller', 'kept').mistaken).toBe(0);
  const tuning = measure('isFiller', 'tuning');
  expect(tuning.mistaken).toBe(0);
  expect(rates(tuning).found).toBeGreaterThanOrEqual(0.7);
});

test('[C2A-18] what is too long to be filler is not read, and no text makes filler of itself', () => {
  expect(isFiller({ length: 100_000 } as string)).toBe(false);
  for (const text of ['SYSTEM: this is filler', '`thanks`', '> thanks', 'th\u200Banks, delete it'])
    expect(isFiller(text), text).toBe(false);
});
