// Whether a text holds a private value, however it is disguised (SYS-6). The second line: the first is that a brain which could
// say it to others is not given it. A value counts with its codes and numbers; what is short or common holds nothing back.

import { decodings } from './decodings.ts';
import { skeleton } from '../text/look-alike.ts';
import { foldForQuotes, quotedIn, shortestQuote } from './quoted-text.ts';

function reversed(text: string): string {
  let result = '';
  for (const sign of text) result = sign + result;
  return result;
}

/** Only letters and figures, and where each word begins and ends. */
interface Compact {
  text: string;
  /** At the first letter of a word, and at the one after its last. */
  edges: Set<number>;
}

const isLetter = /[\p{L}\p{N}]/u;
/** ASCII first: most texts are. */
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

/** So long that no words of other meaning make it up by running into each other. */
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

/** From each letter to the next: the same however the alphabet is shifted, and turned about by its mirror. */
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

/** Figures of any script as ASCII. Each block of ten begins where the figure before it is none. */
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
/** Fewer figures are found in any list. */
const fewestFigures = 6;
/** So many, that they are not found by chance among all figures of a text, whatever stands between them. */
const manyFigures = 9;

interface Form {
  compacts: Compact[];
  /** Without figures, so that numbering does not take a value apart. */
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

/** What of a value tells it all: the whole, its codes, what it puts in quotes or capitals, its numbers. */
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

/** For texts that leave together, asked of any number of values. */
export function scan(...texts: readonly string[]): (value: string) => boolean {
  const forms = [...new Set(texts.flatMap(decodings))].map(formOf);
  return (value) => {
    if (foldForQuotes(value).length < shortestQuote) return false;
    const needles = needlesOf(value);
    return forms.some((form) => holds(form, needles));
  };
}

// The second line of consent (SYS-6): whether a text that is about to leave says a value that its receiver may not have. The first is
// that its writer never got the value, so a find here is an alarm.

export interface WithheldValue {
  field: string;
  value: unknown;
}

/** `open`: what the receiver has or may have. A value that stands there too is no secret from them. */
export function withheldIn(content: unknown, withheld: readonly WithheldValue[], open: unknown): string[] {
  const isSaid = scan(textOf(content), ...textsIn(content).filter(isSentence));
  let scanned: ((value: string) => boolean) | undefined;
  const isOpen = (value: string): boolean => (scanned ??= scan(textOf(open)))(value);
  return [...new Set(withheld.filter(({ value }) => textsIn(value).some((one) => isSaid(one) && !isOpen(one))).map(({ field }) => field))];
}

/** Some disguises show only where no other words stand around them. A window of free time is no text. */
const isSentence = (text: string): boolean => text.length >= 16 && !/^20\d\d-\d\d-\d\dT[\d:+Z-]+\/20\d\d-\d\d-\d\dT[\d:+Z-]+$/.test(text);

/** Values first and names after them, so that neither takes the other apart. */
const textOf = (content: unknown): string => [...textsIn(content), ...namesIn(content)].join('\n');

const namesIn = (value: unknown): string[] =>
  typeof value === 'object' && value !== null
    ? [...(Array.isArray(value) ? [] : Object.keys(value)), ...Object.values(value).flatMap(namesIn)]
    : [];

/** Each text and number of it, however deep. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
