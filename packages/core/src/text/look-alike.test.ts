import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { looksLike, nameShape, skeleton } from './look-alike.ts';

describe('look-alike texts', () => {
  it.each([
    ['case', 'Orac', 'ORAC'],
    ['a zero', '0RAC', 'ORAC'],
    ['one, capital i and small L', 'PAu1', 'PAuI'],
    ['one and small L', 'Pau1', 'paul'],
    ['Cyrillic', 'ОRАС', 'ORAC'],
    ['small Cyrillic', 'оrас', 'orac'],
    ['Greek', 'ΟRΑC', 'ORAC'],
    ['full width', 'ＯＲＡＣ', 'ORAC'],
    ['mathematical letters', '𝐎𝓡𝔸𝖢', 'ORAC'],
    ['small capitals', 'ᴏʀᴀᴄ', 'ORAC'],
    ['letters in discs', 'ⓞⓡⓐⓒ', 'ORAC'],
    ['letters in boxes', '🅾🆁🅰🅲', 'ORAC'],
    ['flags', '🇴🇷🇦🇨', 'ORAC'],
    ['accents', 'Jürgen', 'JURGEN'],
    ['accents as marks', 'Ju\u0308rgen', 'JURGEN'],
    ['a zero-width space', 'OR\u200BAC', 'ORAC'],
    ['a joiner at the end', 'ORAC\u200D', 'ORAC'],
    ['a variation selector', 'ORAC\uFE0F', 'ORAC'],
    ['tag characters', 'ORAC\u{E0041}\u{E0042}', 'ORAC'],
    ['a soft hyphen', 'OR\u00ADAC', 'ORAC'],
    ['a Hangul filler', 'ORAC\u3164', 'ORAC'],
    ['a Braille blank', '\u2800ORAC', 'ORAC'],
    ['Lisu', 'ꓳꓣꓮꓚ', 'ORAC'],
    ['Coptic', 'Ⲟⲣⲁⲥ', 'opac'],
    ['Cherokee', 'ᎾᎡᎪᏟ', 'ORAC'],
    ['small Cherokee', 'ꮎꭱꭺꮯ', 'ORAC'],
    ['wide spaces', ' Ann\u3000\u00A0Lee ', 'Ann Lee'],
  ])('%s', (_what, one, other) => {
    expect(looksLike(one, other)).toBe(true);
  });

  it.each([
    ['ORAC', 'ORACLE'],
    ['Ann Lee', 'AnnLee'],
    ['Мария', 'Maria'],
    ['田中', '中田'],
    ['a-b', 'a_b'],
  ])('%s is not taken for %s', (one, other) => {
    expect(looksLike(one, other)).toBe(false);
  });

  it('has one shape for names that differ by signs and blanks', () => {
    for (const name of ['Olga Owner.', 'Olga-Owner', '“Olga Owner”', 'ꓳlga Owner', 'Olga Ⲟwner ✓'])
      expect(nameShape(name), name).toBe(nameShape('Olga Owner'));
    for (const [one, other] of [
      ['Wendy', 'VVendy'],
      ['Wendy', 'vVendy'],
      ['Mona', 'rnona'],
      ['wvw', 'vwvv'],
    ] as const)
      expect(nameShape(one), other).toBe(nameShape(other));
    expect(nameShape('Olga')).not.toBe(nameShape('Olga Owner'));
    expect(nameShape('✓')).not.toBe(nameShape('★'));
  });

  it('leaves a skeleton as it is', () => {
    for (let code = 0; code < 0x11_00_00; code++) {
      const letter = String.fromCodePoint(code);
      // Four of five code points belong to nobody, or are ideographs that look like nothing else.
      if (!/[^\p{Cn}\p{Co}\p{Script=Han}\p{Script=Hangul}\p{Script=Tangut}]/u.test(letter)) continue;
      const once = skeleton(letter);
      if (skeleton(once) !== once) expect.unreachable(`U+${code.toString(16)}`);
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => skeleton(skeleton(text)) === skeleton(text)));
  });

  it('shows nothing for what is invisible', () => {
    expect(skeleton('\u200B\u{E0020}\u2800\u115F \u3000')).toBe('');
  });
});
