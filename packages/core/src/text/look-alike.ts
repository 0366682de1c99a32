// Which texts look the same to a person (PAP-18, SYS-6, C2A-29). Handles, display names and private values are compared by it.

/** Shown as nothing: joiners, variation selectors, tags, fillers, the blank of Braille. */
export const invisibleCharacters = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]/gu;

/** Each Latin letter or figure with the letters of other scripts that are drawn like it, as capital or small letter. */
const drawnLike: Readonly<Record<string, string>> = {
  a: 'АаΑαɑᴀꭺᎪꓮⲀ',
  b: 'ВвЬьΒβʙᏴꓐⲂᏏ',
  c: 'СсϹϲᴄᏟꓚⲤ',
  d: 'ԁđĐᴅᎠժꓓ',
  e: 'ЕеΕεєЄᴇᎬҽꓰⲈ',
  f: 'ƒꜰϜꓝ',
  g: 'ɡɢԌᏀցꓖᏳ',
  h: 'НнһҺΗʜħĦᎻհꓧⲎ',
  i: 'ІіΙιıɪӀӏᎥꓲⲒ',
  j: 'ЈјϳᴊᎫյꓙ',
  k: 'КкΚκᴋᏦꓗⲔ',
  l: 'łŁʟᏞ∣ǀⅼ׀|ꓡ',
  m: 'МмΜᴍᎷꓟⲘ',
  n: 'ΝηпПɴոռꓠⲚ',
  o: 'ОоΟοσøØᴏօՕ୦೦ഠꓳⲞᎾ',
  p: 'РрΡρᴘᏢꓑⲢ',
  q: 'ԛԚզգ',
  r: 'гГʀᏒᎡꓣ',
  s: 'ЅѕꜱᏚꓢ',
  t: 'ТтΤτᴛŧŦᎢꓔⲦ',
  u: 'υμᴜսՍʋꓴᏌ',
  v: 'ѵѴνᴠᏙꓦ',
  w: 'ԝԜωᴡᎳᏔաꓪⲰ',
  x: 'ХхΧχ×ꓫⲬ',
  y: 'УуΥγʏүҮꓬⲨᎽᎩ',
  z: 'ΖζᴢᏃꓜⲌ',
  '3': 'ЗзӠӡƷʒ',
  '4': 'ЧчᏎ',
  '6': 'б',
  '-': '‐‑‒–—―−˗',
  '^': '＾ˆ⌃ꞈ',
};
const latinFor = new Map(Object.entries(drawnLike).flatMap(([latin, others]) => Array.from(others, (other) => [other, latin] as const)));

/** Letters inside a box or a disc, and the letters that make flags: each block begins with its A. */
const alphabets = [0x1_f1_30, 0x1_f1_50, 0x1_f1_70, 0x1_f1_e6];
function boxed(letter: string): string | undefined {
  const code = letter.codePointAt(0)!;
  const first = alphabets.find((start) => code >= start && code < start + 26);
  return first === undefined ? undefined : String.fromCharCode(97 + code - first);
}

export const isPlain = (text: string): boolean => /^[\x20-\x7E]*$/.test(text);

function latin(text: string): string {
  let result = '';
  for (const letter of text.replaceAll(invisibleCharacters, '').normalize('NFKD').replaceAll(/\p{M}/gu, ''))
    // A letter of which only the other case is known goes by that one: Coptic and Cherokee draw both alike.
    result +=
      latinFor.get(letter) ??
      boxed(letter) ??
      latinFor.get(letter.toUpperCase()) ??
      Array.from(letter.toLowerCase(), (small) => latinFor.get(small) ?? small).join('');
  return result;
}

/**
 * Two texts that look alike have the same skeleton: case, width, accents, invisible characters and the script of a letter
 * are folded, `0` becomes `o`, and `1`, `i` and `|` become `l`. It is not shown to anyone. A Greek capital and its small letter can
 * look like different Latin letters, so a caller that wants no difference between them lowers the text first.
 */
export function skeleton(text: string): string {
  return (isPlain(text) ? text : latin(text)).toLowerCase().replaceAll('0', 'o').replaceAll(/[1i|]/g, 'l').replaceAll(/\s+/gu, ' ').trim();
}

/** Of a handle, whose figures are read as letters: `5TEF` is drawn like `STEF`. In other texts a five is a number. */
export const handleShape = (handle: string): string => skeleton(handle).replaceAll('5', 's');

/** The letters and figures of a name: signs and blanks beside them do not tell two people apart. */
export const nameShape = (name: string): string => pairsAsOne(skeleton(name).replaceAll(/[^\p{L}\p{N}]+/gu, '') || skeleton(name));

/** Two letters that are drawn like one. Handles are shown in a type that tells them apart. */
const pairsAsOne = (text: string): string => text.replaceAll('w', 'vv').replaceAll('m', 'rn');

/** `Pаul` with a Cyrillic `а`: nobody writes a word so who does not want to be taken for somebody else. */
export const mixesAlphabets = (name: string): boolean =>
  name
    .split(/[^\p{L}\p{M}]+/u)
    .some(
      (word) =>
        /\p{Script=Latin}/u.test(word) &&
        /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\p{Script=Coptic}\p{Script=Lisu}]/u.test(word),
    );

/** The platform speaks under these; nobody else has a name or a handle that looks like one. */
const reserved: ReadonlySet<string> = new Set(['Parley', 'System', 'Platform', 'Operator'].map(skeleton));
/** They change nothing of whom a name claims to be. */
const besides: ReadonlySet<string> = new Set(['the', 'bot'].map(skeleton));

/** Signs and spaces between the letters change nothing either. */
export function isReservedName(name: string): boolean {
  const words = (skeleton(name).match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !besides.has(word));
  return reserved.has(words.join('')) || (words.length > 0 && words.every((word) => reserved.has(word)));
}

export const looksLike = (one: string, other: string): boolean => skeleton(one) === skeleton(other);
