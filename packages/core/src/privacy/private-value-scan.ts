// Finds private values in a text, also disguised ones (SYS-6). It is the second defence: the first is that a brain which could tell others
// never gets the values. The codes and numbers of a value count too; short or common values are not searched.

import { decodings } from './decodings.ts';
import { skeleton } from '../text/look-alike.ts';
import { foldForQuotes, quotedIn, shortestQuote } from './quoted-text.ts';

function reversed(text: string): string {
  let result = '';
  for (const sign of text) result = sign + result;
  return result;
}

/** A text as letters and digits only, with the places where its words begin and end. */
interface Compact {
  text: string;
  /** The places of each word's first letter, and behind its last. */
  edges: Set<number>;
}

const isLetter = /[\p{L}\p{N}]/u;
/** ASCII is checked first, because most texts are ASCII. */
const isLetterAt = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code < 128
    ? (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
    : isLetter.test(text[at]!) || (code >= 0xd8_00 && code <= 0xdf_ff);
};

function compact(text: string): Compact {
  const edges = new Set<number>();
  let letters = '';
  let wasLetter = false;
  for (let at = 0; at < text.length; at++) {
    const now = isLetterAt(text, at);
    if (now !== wasLetter) edges.add(letters.length);
    if (now) letters += text[at]!;
    wasLetter = now;
  }
  edges.add(letters.length);
  return { text: letters, edges };
}

/** A value of this length is never formed by chance from the letters of several words. */
const longNeedle = 12;
const shortNeedle = 8;

function isIn(needle: string, { text, edges }: Compact): boolean {
  const anywhere = needle.length >= longNeedle || /\p{N}/u.test(needle);
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1))
    if (anywhere || (edges.has(at) && edges.has(at + needle.length))) return true;
  return false;
}

const leetFor: Readonly<Record<string, string>> = {
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'l',
  '+': 't',
};
const unleet = (text: string): string => text.replaceAll(/[345789@$!+]/g, (sign) => leetFor[sign]!);
const onlyLatin = (text: string): string => text.replaceAll(/[^a-z]/g, '');

/** The steps from each letter to the next. They stay the same in a shifted alphabet; a mirrored alphabet negates them. */
function steps(text: string): string {
  let result = '';
  for (let at = 1; at < text.length; at++) result += String.fromCharCode(97 + ((text.charCodeAt(at) - text.charCodeAt(at - 1) + 26) % 26));
  return result;
}
function mirrored(text: string): string {
  let result = '';
  for (let at = 0; at < text.length; at++) result += String.fromCharCode(97 + ((26 - (text.charCodeAt(at) - 97)) % 26));
  return result;
}

/** Digits of any script as ASCII. A block of ten begins where the sign before is no digit. */
const asciiFigures = (text: string): string =>
  text.replaceAll(/\p{Nd}/gu, (figure) => {
    const code = figure.codePointAt(0)!;
    if (code < 128) return figure;
    let zero = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && code - zero < 9) zero--;
    return String(code - zero);
  });

const aDay =
  /^(?:(?:19|20)\d\d[-./]?(?:0?[1-9]|1[0-2])[-./]?(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-./](?:0?[1-9]|1[0-2])[-./](?:19|20)?\d\d)$/;
const aTime = /^\d{1,2}:\d\d(?::\d\d)?$/;
const isOrdinary = (number: string): boolean => aDay.test(number.trim()) || aTime.test(number.trim());
const numberRuns = (text: string): string[] => text.match(/\d(?:[\s\-./:,()+]{0,3}\d)*/g) ?? [];
const onlyFigures = (text: string): string => text.replaceAll(/\D/g, '');
/** Any list has shorter numbers in it. */
const fewestFigures = 6;
/** This many digits do not occur by chance in the joined digits of a text. */
const manyFigures = 9;

interface Form {
  compacts: Compact[];
  /** Without digits, so that numbering between words cannot hide a value. */
  lettered: Compact;
  leet: Compact;
  steps: string;
  initials: string;
  numbers: ReadonlySet<string>;
  figures: string;
  quotes: ((value: string) => boolean)[];
}

function formOf(text: string): Form {
  const lower = skeleton(text.toLowerCase());
  const shapes = [...new Set([lower, skeleton(text)])];
  const plain = asciiFigures(text);
  const words = lower.match(/[\p{L}\p{N}]+/gu) ?? [];
  const runs = numberRuns(plain).filter((run) => !isOrdinary(run));
  return {
    compacts: [...shapes, words.toReversed().join(' ')].map(compact),
    lettered: compact(lower.replaceAll(/\p{N}+/gu, ' ')),
    leet: compact(unleet(lower)),
    steps: steps(onlyLatin(text.normalize('NFKC').toLowerCase())),
    initials: words.map((word) => (/^\p{N}/u.test(word) ? word : word.slice(0, 1))).join(''),
    numbers: new Set(runs.map(onlyFigures)),
    figures: runs.map(onlyFigures).join(''),
    quotes: [quotedIn(text), quotedIn(foldForQuotes(text).split(' ').toReversed().join(' '))],
  };
}

/** The parts of a value that reveal it: the whole, its codes, quoted and capital parts, and its numbers. */
interface Needles {
  whole: string;
  texts: string[];
  lettered: string[];
  leet: string[];
  steps: string[];
  numbers: string[];
}

const hasFigure = (text: string): boolean => /\p{N}/u.test(text);
const inQuotes = /["“„«`]([^"”“»`\n]{6,})["”“»`]/g;
const inCapitals = /(?<![\p{L}\p{N}])[\p{Lu}\p{N}]{2,}(?:[\s_./-]+[\p{Lu}\p{N}]{1,})+(?![\p{L}\p{N}])/gu;
const codeLike = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[-_./#@:+=][\p{L}\p{N}]+)*(?![\p{L}\p{N}])/gu;

function partsOf(value: string): string[] {
  const codes = (value.match(codeLike) ?? []).filter(
    (one) => hasFigure(one) && /\p{L}/u.test(one) && !isOrdinary(one) && one.length >= shortNeedle,
  );
  return [
    value,
    ...codes,
    ...[...value.matchAll(inQuotes)].map(([, part]) => part!),
    ...(value.match(inCapitals) ?? []).filter((one) => /\p{Lu}/u.test(one)),
  ];
}

function needlesOf(value: string): Needles {
  const parts = [...new Set(partsOf(value))];
  const letters = (text: string): string => compact(skeleton(text.toLowerCase())).text;
  const long = (least: number) => (text: string) => text.length >= least;
  const both = (texts: string[]): string[] => [...new Set(texts.flatMap((text) => [text, reversed(text)]))];
  const stepped = parts.map((part) => steps(onlyLatin(part.normalize('NFKC').toLowerCase()))).filter(long(shortNeedle));
  return {
    whole: value,
    texts: both(parts.map(letters).filter(long(shortNeedle))),
    lettered: both(parts.map((part) => letters(part.replaceAll(/\p{N}+/gu, ''))).filter(long(9))),
    leet: parts
      .map((part) => compact(unleet(skeleton(part.toLowerCase()))).text)
      .filter((part) => part.length >= longNeedle || (part.length >= shortNeedle && parts.some(hasFigure))),
    steps: [...new Set(stepped.flatMap((one) => [one, mirrored(one), reversed(one), mirrored(reversed(one))]))],
    numbers: both(
      numberRuns(asciiFigures(value))
        .filter((run) => !isOrdinary(run))
        .map(onlyFigures)
        .filter(long(fewestFigures)),
    ),
  };
}

function holds(form: Form, needles: Needles): boolean {
  return (
    form.quotes.some((isQuoted) => isQuoted(needles.whole)) ||
    needles.texts.some(
      (one) => form.compacts.some((text) => isIn(one, text)) || (one.length >= shortNeedle && form.initials.includes(one)),
    ) ||
    needles.lettered.some((one) => isIn(one, form.lettered) || form.initials.includes(one)) ||
    needles.leet.some((one) => isIn(one, form.leet)) ||
    needles.steps.some((one) => form.steps.includes(one)) ||
    needles.numbers.some((one) => form.numbers.has(one) || (one.length >= manyFigures && form.figures.includes(one)))
  );
}

/** Prepares texts that leave together for any number of values. */
export function scan(...texts: readonly string[]): (value: string) => boolean {
  const forms = [...new Set(texts.flatMap(decodings))].map(formOf);
  return (value) => {
    if (foldForQuotes(value).length < shortestQuote) return false;
    const needles = needlesOf(value);
    return forms.some((form) => holds(form, needles));
  };
}

// The second defence of consent (SYS-6): whether an outgoing text contains a value that its receiver may not have. The first defence is that
// its writer never got the value, so a hit here is an alarm.

export interface WithheldValue {
  field: string;
  value: unknown;
}

/** `open`: the texts that the receiver has or may have. A value in them is no secret from the receiver. */
export function withheldIn(content: unknown, withheld: readonly WithheldValue[], open: unknown): string[] {
  const isSaid = scan(textOf(content), ...textsIn(content).filter(isSentence));
  let scanned: ((value: string) => boolean) | undefined;
  const isOpen = (value: string): boolean => (scanned ??= scan(textOf(open)))(value);
  return [...new Set(withheld.filter(({ value }) => textsIn(value).some((one) => isSaid(one) && !isOpen(one))).map(({ field }) => field))];
}

/** Some disguises are found only without other words around them, so sentences are scanned alone. A window of free time is no sentence. */
const isSentence = (text: string): boolean => text.length >= 16 && !/^20\d\d-\d\d-\d\dT[\d:+Z-]+\/20\d\d-\d\d-\d\dT[\d:+Z-]+$/.test(text);

/** The values come first and the names after them, so that a name cannot split a value. */
const textOf = (content: unknown): string => [...textsIn(content), ...namesIn(content)].join('\n');

const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)]
    : [];

/** All texts and numbers in the value, at any depth. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
