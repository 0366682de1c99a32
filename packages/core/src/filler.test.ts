import { expect, test } from 'vitest';
import { isFiller } from './filler.ts';

// prettier-ignore
const filler = [
  'thanks', 'Thanks!', 'THANK YOU', 'thx', 'got it', 'Got it.', 'nice', '👍', '👍🏽👍🏽', '🎉 🎉', '❤️', 'ok', 'ok thanks', 'ok, thanks so much!', 'thanks again :)',
  'nice and thanks', 'oh wow, thanks everyone', 'you’re welcome', 'sounds good 👍', ':)', '<3', '谢谢！', 'ありがとう。', 'merci', '+1', 'haha', '*thanks*',
];
// prettier-ignore
const requests = [
  '', ' ', '!', '...', 'thanks?', 'ok?', 'got it?', '👍?', '❓', 'thanks, now deploy it', 'ok do it', 'nice, what next', 'thanks and', 'again', 'ok again', 'yes', 'no', 'sure',
  'go ahead', 'thank', 'thank bob', 'copy that', 'welcome', 'not great', 'thanks for nothing', 'hello', 'hi', 'everyone', 'fix it 👍', 'nice 2', `thanks ${'very '.repeat(60)}much`,
];

test.each(filler)('[PAP-2] %j asks for nothing', (text) => {
  expect(isFiller(text)).toBe(true);
});

test.each(requests)('[PAP-2] %j is not filler: what is not on the list may ask for something', (text) => {
  expect(isFiller(text)).toBe(false);
});
