// The decodings of a text (SYS-6): markup, percent and HTML escapes, hex, base64, base32, character codes, Morse. A decoder
// that finds nothing to decode returns nothing, and what it makes of ordinary words matches no value.

type Decoder = (text: string) => string[];

const bytesToText = (bytes: readonly number[]): string => new TextDecoder().decode(Uint8Array.from(bytes));
const charactersOf = (codes: readonly number[]): string => String.fromCodePoint(...codes.filter((code) => code >= 9 && code <= 0x10_ff_ff));

/** `replaced` where something was, else nothing. */
const ifChanged = (text: string, replaced: string): string[] => (replaced === text ? [] : [replaced]);

/** A page shows the text of a tag or link, and nothing of the rest. */
const markup: Decoder = (text) => ifChanged(text, text.replaceAll(/<[^<>]*>/g, '').replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1'));

/** Characters that are shown as nothing and carry ASCII. */
const tags: Decoder = (text) =>
  ifChanged(
    text,
    text.replaceAll(/[\u{E0020}-\u{E007E}]/gu, (tag) => String.fromCodePoint(tag.codePointAt(0)! - 0xe_00_00)),
  );

/** Also quoted-printable. */
const percent: Decoder = (text) =>
  /[%=]/.test(text)
    ? ifChanged(
        text,
        text.replaceAll(/(?:[%=][0-9a-f]{2})+/gi, (run) =>
          bytesToText(run.match(/[0-9a-f]{2}/gi)!.map((pair) => Number.parseInt(pair, 16))),
        ),
      )
    : [];

const entities: Decoder = (text) =>
  text.includes('&#')
    ? ifChanged(
        text,
        text.replaceAll(/&#(?:x([0-9a-f]{1,6})|(\d{1,7}));?/gi, (_all, hex: string | undefined, decimal: string | undefined) =>
          charactersOf([hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)]),
        ),
      )
    : [];

const backslashes: Decoder = (text) =>
  text.includes('\\')
    ? ifChanged(
        text,
        text.replaceAll(
          /\\+(?:x([0-9a-f]{2})|u\{([0-9a-f]{1,6})\}|u([0-9a-f]{4})|([0-7]{3}))/gi,
          (_all, ...codes: (string | undefined)[]) => {
            const octal = codes[3];
            return charactersOf([octal === undefined ? Number.parseInt(codes.slice(0, 3).find(Boolean)!, 16) : Number.parseInt(octal, 8)]);
          },
        ),
      )
    : [];

const pairsOf = (hex: string, from: number): number[] => {
  const bytes: number[] = [];
  for (let at = from; at + 2 <= hex.length; at += 2) bytes.push(Number.parseInt(hex.slice(at, at + 2), 16));
  return bytes;
};

/** With or without something between the pairs; a letter before it may have moved it by half a byte. */
const hex: Decoder = (text) =>
  (text.match(/(?:(?:0x|\\x)?[0-9a-f]{2}[\s:,;.-]{0,2}){5,}/gi) ?? []).flatMap((run) => {
    const digits = run.replaceAll(/0x|\\x|[^0-9a-f]/gi, '');
    return [bytesToText(pairsOf(digits, 0)), bytesToText(pairsOf(digits, 1))];
  });

const binary: Decoder = (text) =>
  (text.match(/(?:[01]{8}[\s,;-]{0,2}){5,}/g) ?? []).map((run) =>
    bytesToText(run.match(/[01]{8}/g)!.map((byte) => Number.parseInt(byte, 2))),
  );

/** Codes of characters, in figures or octal, or the places of letters in the alphabet. */
const codes: Decoder = (text) =>
  (text.match(/(?:(?<!\d)\d{1,3}(?!\d)[\s,;.|-]{1,3}){4,}\d{1,3}(?!\d)/g) ?? []).flatMap((run) => {
    const figures = run.match(/\d+/g)!;
    const numbers = figures.map(Number);
    if (numbers.every((one) => one >= 1 && one <= 26)) return [numbers.map((one) => String.fromCharCode(96 + one)).join('')];
    const octal = figures.every((one) => /^[0-7]+$/.test(one)) ? [charactersOf(figures.map((one) => Number.parseInt(one, 8)))] : [];
    return numbers.every((one) => one >= 9 && one <= 255) ? [charactersOf(numbers), ...octal] : octal;
  });

const letters64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const letters32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

function fromBase(run: string, alphabet: string, bits: number): number[] {
  const bytes: number[] = [];
  let held = 0;
  let count = 0;
  for (const letter of run) {
    held = ((held << bits) | alphabet.indexOf(letter)) & 0xff_ff;
    count += bits;
    if (count < 8) continue;
    count -= 8;
    bytes.push((held >> count) & 0xff);
  }
  return bytes;
}

/** Words before it may have run into it: wherever it begins, one of the places is right. Of noise, nothing readable stays. */
const based =
  (pattern: RegExp, plain: (run: string) => string, alphabet: string, bits: number, places: number): Decoder =>
  (text) =>
    [...new Set([...(text.match(pattern) ?? []), ...(text.replaceAll(/\s+/g, '').match(pattern) ?? [])])].flatMap((run) => {
      const written = plain(run);
      return Array.from({ length: Math.min(places, written.length) }, (_, from) =>
        readable(fromBase(written.slice(from), alphabet, bits)),
      ).filter((found) => found !== '');
    });

/** UTF-16 is read as its ASCII: every other byte of it is zero. */
const readable = (bytes: readonly number[]): string =>
  (bytesToText(bytes.filter((byte) => byte !== 0)).match(/[[\p{L}\p{N}\p{M}\p{P}\p{S}\s]--[\uFFFD]]{5,}/gv) ?? [])
    .filter(isMostlyWords)
    .join('\n');
const isMostlyWords = (text: string): boolean => (text.match(/[\p{L}\p{N}\s]/gu)?.length ?? 0) * 10 >= text.length * 6;

const standard64 = (run: string): string => run.replaceAll('-', '+').replaceAll('_', '/');
const base64 = based(/[A-Za-z0-9+/_-]{8,}/g, standard64, letters64, 6, 4);
/** Word by word. Of ordinary words few can be read so, and then none is. */
const base64Words: Decoder = (text) => {
  const runs = text.match(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{2,}/g) ?? [];
  const words = runs
    .map((run) => bytesToText(fromBase(standard64(run), letters64, 6)))
    .filter((word) => /^[\p{L}\p{N}\p{P}]+$/u.test(word));
  return words.length > 1 && words.length * 3 >= runs.length ? [words.join(' ')] : [];
};
const base32 = based(/[A-Za-z2-7]{12,}/g, (run) => run.toUpperCase(), letters32, 5, 8);

// prettier-ignore
const morseLetters: Readonly<Record<string, string>> = {
  '.-': 'a', '-...': 'b', '-.-.': 'c', '-..': 'd', '.': 'e', '..-.': 'f', '--.': 'g', '....': 'h', '..': 'i', '.---': 'j', '-.-': 'k',
  '.-..': 'l', '--': 'm', '-.': 'n', '---': 'o', '.--.': 'p', '--.-': 'q', '.-.': 'r', '...': 's', '-': 't', '..-': 'u', '...-': 'v',
  '.--': 'w', '-..-': 'x', '-.--': 'y', '--..': 'z', '-----': '0', '.----': '1', '..---': '2', '...--': '3', '....-': '4', '.....': '5',
  '-....': '6', '--...': '7', '---..': '8', '----.': '9',
};
const morse: Decoder = (text) =>
  (
    text
      .replaceAll(/[·•]/g, '.')
      .replaceAll(/[–—−]/g, '-')
      .match(/(?:[.-]{1,6}[\s/|]+){5,}[.-]{1,6}/g) ?? []
  ).map((run) =>
    run
      .match(/[.-]+/g)!
      .map((sign) => morseLetters[sign] ?? '')
      .join(''),
  );

const figureWords = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'];
/** Figures written as words. */
const figures: Decoder = (text) =>
  ifChanged(
    text,
    text.replaceAll(new RegExp(`\\b(?:${figureWords.join('|')})\\b`, 'gi'), (word) => String(figureWords.indexOf(word.toLowerCase()))),
  );

const decoders = [markup, tags, percent, entities, backslashes, hex, binary, codes, base64, base64Words, base32, morse, figures];

const deepest = 3;
/** However a text is nested, so many characters of it are decoded. */
const mostDecoded = 400_000;

/** The text itself, and all that can be decoded from it. */
export function decodings(text: string): string[] {
  const found = new Set([text]);
  let room = Math.max(mostDecoded, text.length * 4);
  let layer = [text];
  for (let depth = 0; depth < deepest && layer.length > 0; depth++) {
    const next: string[] = [];
    for (const decode of decoders)
      for (const from of layer)
        for (const decoded of decode(from)) {
          if (found.has(decoded) || decoded.length > room) continue;
          room -= decoded.length;
          found.add(decoded);
          next.push(decoded);
        }
    layer = next;
  }
  return [...found];
}
