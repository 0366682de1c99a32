import { describe, expect, test } from 'vitest';
import { quotedIn } from './quoted-text.ts';

const note = 'The board meets on the 4th of March in Lisbon to sell the harbour site to Meridian';

describe('[SYS-6] what a text quotes of a line', () => {
  test.each<[string, string, boolean]>([
    ['all of it', `I read: ${note}.`, true],
    ['a half of it', 'they want to sell the harbour site to Meridian, it seems', true],
    ['the other half', 'so: “the board meets on the 4th of March in Lisbon”', true],
    ['a half, wrapped and quoted', '> the Board meets\n> on the 4th\n> of March', true],
    ['a half, in other white space', 'sell\u00A0the\tharbour   site\r\nto MERIDIAN', true],
    ['with emphasis and other punctuation', '**sell** _the_ `harbour` site – to (Meridian)', true],
    ['escaped in an argument', String.raw`{"body":"in Lisbon\nto sell the \"harbour\" site to Meridian"}`, true],
    ['escaped twice', String.raw`"{\\"body\\":\\"in Lisbon\\nto sell the harbour site to Meridian\\"}"`, true],
    ['with escaped letters', String.raw`in Lisbon to sell the \u0068arbour site to Meridian`, true],
    ['with what cannot be seen in it', 'in Lis\u00ADbon to sell\u200B the har\u200Dbour site to Meridian', true],
    ['a few of its words', 'the harbour site is for sale', false],
    ['all of its words, in another order', 'Meridian to site harbour the sell to Lisbon in March of 4th the on meets board the', false],
    ['something else', 'Good morning! What can I do for you?', false],
  ])('%s', (_name, text, held) => expect(quotedIn(text)(note)).toBe(held));

  test.each<[string, string, string, boolean]>([
    ['a common turn of phrase', 'Let me know if you need it before I go to the bank', 'Let me know if you need anything.', false],
    ['common words in a row', 'He is going to be a father in the summer of this year', 'It is going to be a long day.', false],
    ['a short line, whole', 'Lives in Bath', 'she lives, in *Bath*!', true],
    ['a short line, in part', 'Lives in Bath', 'Bath has a fine abbey', false],
    ['a short line inside a word of another', 'Lives in Bath', 'olives, in Bathurst', false],
    ['a half of a line of short words', 'The cellar key is under the blue pot', 'look: key is under the blue pot', true],
    ['a short line of short words, whole', 'It is in the pot', 'it is “in the” pot', true],
    ['a code alone', 'The key of the safe is QX7-99-ABC2', 'try qx7-99-abc2.', true],
    ['a word of a code', 'The key of the safe is QX7-99-ABC2', 'QX7 is a model of car', false],
    ['a day', 'Her surgery is on 2026-11-16', 'The release is on 2026-11-16', false],
    ['without spaces, a half', '会議は三月四日にリスボンで港の土地を売るために開かれる', '港の土地を売るために開かれるそうです', true],
    ['without spaces, a few letters', '会議は三月四日にリスボンで港の土地を売るために開かれる', '会議は明日です', false],
    ['nothing but marks', '*** --- ***', 'a *** b', false],
  ])('%s', (_name, value, text, held) => expect(quotedIn(text)(value)).toBe(held));

  test('as long as both are long, and no longer', () => {
    // The same words in ever other order: every run is a candidate, and none is in the text.
    const words = Array.from({ length: 200 }, (_, n) => `word${n}`);
    const mixed = (step: number) => Array.from({ length: 20_000 }, (_, n) => words[(n * step) % 200]!).join(' ');
    // Compared run by run it would not come back.
    expect(quotedIn(mixed(7))(mixed(11))).toBe(false);
  });
});
