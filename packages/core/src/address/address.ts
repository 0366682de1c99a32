// The addresses in a text (PAP-18), read as a careful person would: not in code, quotes, links or behind a backslash, not
// inside a word, whatever the case. The time is linear in the length of the text. `^HANDLE` is always an agent. `@handle`
// is the member with that handle. `^ALL` and `^ANY` are agents only, `@all` and `@any` people only.

import { foldHandle, type MemberKind } from '@parley/protocol';
import { rememberLast } from '../text/remember-last.ts';
import { invisibleCharacters, skeleton } from '../text/look-alike.ts';
import { hiddenSpans } from '../text/markdown.ts';
import { quotationSpans } from '../text/quotation-marks.ts';
import { signBefore } from '../text/span.ts';

export type AddressKind = 'agent' | 'human' | 'role' | 'all_agents' | 'any_agent' | 'all_humans' | 'any_human' | 'unknown';

export interface Address {
  kind: AddressKind;
  /** As the member spells it; for an unknown one, as it was written. */
  handle: string;
  /** UTF-16 offsets, sigil included. */
  start: number;
  end: number;
  /** Of an unknown one that calls nobody although somebody may have been meant. */
  cause?: UnreadCause;
}

/**
 * Why something that a person would take for an address calls nobody: it holds or touches a character that no handle has,
 * it stands in quotation marks, or in an indented line, which is code.
 */
export type UnreadCause = 'look_alike' | 'quoted' | 'indented';

/** The member it names is here: only the place keeps it from calling, so no other handle is offered. */
export const isPassedOver = (cause: UnreadCause | undefined): boolean => cause === 'quoted' || cause === 'indented';

/** Who can be addressed here, by folded handle. */
export type Directory = ReadonlyMap<string, { handle: string; kind: MemberKind | 'role' }>;

export function directory(members: Iterable<{ handle: string; kind: MemberKind | 'role' }>): Directory {
  const found = new Map<string, { handle: string; kind: MemberKind | 'role' }>();
  for (const member of members) found.set(foldHandle(member.handle), member);
  return found;
}

const groups: Record<string, AddressKind> = { '^all': 'all_agents', '^any': 'any_agent', '@all': 'all_humans', '@any': 'any_human' };

/** A sigil and a name, before anyone has looked whose name it is. */
export interface WrittenAddress {
  sigil: '^' | '@';
  name: string;
  start: number;
  end: number;
  /** Looks like an attempt to address someone; if nobody has the name, the author gets a notice. */
  plausible: boolean;
  /** `ORAC` of `^ORAC...well`: meant when nobody is called `ORAC...well`. */
  short?: string;
  cause?: UnreadCause;
  /** Worth a notice only where somebody here has the handle. */
  ifHere?: true;
}

/** The full-width and small signs, too: they call nobody, and their author gets a notice. */
const sign = /[\^@＾＠﹫ˆ⌃]/;
/** Where a name may begin: not inside a word, and not without a name. Others are passed over without a look at what they touch. */
const signs = /\\|(?<![A-Za-z0-9])[\^@＾＠﹫ˆ⌃](?=[A-Za-z0-9]|[^\0-\x7F])/g;
/** So many of them are read: what stands behind them is text. */
const mostRead = 1_000;
/** The sign that is meant by one that looks like it. */
export const sigilOf = (written: string): '^' | '@' => (/^[@＠﹫]/.test(written) ? '@' : '^');
/** They stand for keys and accents as well. */
const isRareSign = (written: string): boolean => written === 'ˆ' || written === '⌃';

/** What is written like an address, in order. A hub looks up these names, long and short, and no others. */
export const writtenAddresses: (text: string) => readonly WrittenAddress[] = rememberLast(readAddresses);

function readAddresses(text: string): WrittenAddress[] {
  // Most messages call nobody: they are not read any further.
  if (!sign.test(text)) return [];
  const found: WrittenAddress[] = [];
  const hidden = hiddenSpans(text);
  let span = 0;
  let tried = 0;
  signs.lastIndex = 0;
  for (let one = signs.exec(text); one && tried < mostRead; one = signs.exec(text)) {
    const at = one.index;
    while (span < hidden.length && hidden[span]!.end <= at) span++;
    const next = hidden[span];
    const inside = next !== undefined && next.start <= at;
    if (inside && next.indented !== true) signs.lastIndex = next.end;
    else if (one[0] === '\\') signs.lastIndex = at + 2;
    else {
      tried++;
      const address = addressAt(text, at, inside);
      if (!address) continue;
      signs.lastIndex = address.end;
      // `@http://example.org`: the name is the beginning of a link.
      if (inside || next?.start !== at + 1) found.push(address);
    }
  }
  return withQuoted(text, found);
}

function addressAt(text: string, at: number, indented: boolean): WrittenAddress | undefined {
  const before = whatPrecedes(text, at);
  if (before === 'word') return undefined;
  const sigil = sigilOf(text[at]!);
  if (isMasked(text, at)) return undefined;
  const address = read(text, at, sigil);
  if (!address) return undefined;
  if (indented) return address.cause === undefined ? { ...address, cause: 'indented', ifHere: true } : undefined;
  if (isRareSign(text[at]!)) return { ...address, cause: 'look_alike', ifHere: true };
  return before === 'invisible' || text[at] !== sigil ? { ...address, cause: 'look_alike' } : address;
}

function withQuoted(text: string, found: WrittenAddress[]): WrittenAddress[] {
  if (found.length === 0) return found;
  const quotations = quotationSpans(text);
  if (quotations.length === 0) return found;
  let span = 0;
  return found.flatMap((address): WrittenAddress[] => {
    while (span < quotations.length && quotations[span]!.end <= address.start) span++;
    const inside = span < quotations.length && quotations[span]!.start <= address.start;
    if (!inside) return [address];
    return address.cause === undefined ? [{ ...address, cause: 'quoted', ifHere: true }] : [];
  });
}

/** Whom the text addresses, of those who can be addressed here. */
export function addressesIn(text: string, known: Directory): Address[] {
  return resolve(writtenAddresses(text), known);
}

export function resolve(found: readonly WrittenAddress[], known: Directory): Address[] {
  return found.flatMap(({ sigil, name, start, end, plausible, short, cause, ifHere }): Address[] => {
    const whose = (written: string): Omit<Address, 'start' | 'end'> | undefined => {
      const fold = foldHandle(written);
      const group = groups[sigil + fold];
      if (group) return { kind: group, handle: sigil === '^' ? fold.toUpperCase() : fold };
      const member = known.get(fold);
      // `^` never means a person: who wrote it meant an agent, and there is none of that name.
      return member && (sigil === '@' || member.kind !== 'human') ? { kind: member.kind, handle: member.handle } : undefined;
    };
    const whole = whose(name);
    const part = whole || short === undefined ? undefined : whose(short);
    const owned = whole ?? part;
    const place = { start, end: part ? start + 1 + short!.length : end };
    if (cause !== undefined) {
      const isHere = owned !== undefined && groups[sigil + foldHandle(owned.handle)] === undefined;
      const isNoticed = ifHere ? isHere : plausible;
      return isNoticed ? [{ kind: 'unknown', handle: part ? short! : name, ...place, cause }] : [];
    }
    if (owned) return [{ ...owned, ...place }];
    return plausible ? [{ kind: 'unknown', handle: name, start, end }] : [];
  });
}

// A handle is ASCII. Letters, digits, marks and whatever cannot be seen make what they touch another word, that only
// looks like it. (`\p{Alphabetic}` knows the letters in circles, too.)
const wordSign = /^[\p{Alphabetic}\p{N}\p{M}\p{Pc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
// These scripts put no blanks between words, or (Hangul) write what belongs to a name right behind it, and none of their
// letters passes for a Latin one: `你好^ORAC`, `^ORACさん` and `^ORAC에게` call ORAC.
const standsAlone = /^(?=[\p{L}\p{M}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}]$/u;
const unseen = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
const makesWord = (sign: string): boolean => wordSign.test(sign) && (!standsAlone.test(sign) || unseen.test(sign));

/** `word`: something stands right before it that makes it part of one: `2^ALL`, `ann@example.org`. */
function whatPrecedes(text: string, at: number): 'word' | 'invisible' | 'other' {
  let end = at;
  // `_^ORAC_` is stressed, `snake_^ORAC` a word.
  while (text[end - 1] === '_') end--;
  let sign = signBefore(text, end);
  // An emoji is often followed by one.
  if (sign === '\uFE0F' && /^\p{Extended_Pictographic}$/u.test(signBefore(text, end - 1))) return 'other';
  const seen = end;
  while (sign !== '' && unseen.test(sign)) {
    end -= sign.length;
    sign = signBefore(text, end);
  }
  if (sign !== '\u20E3' && makesWord(sign)) return 'word';
  return end === seen ? 'other' : 'invisible';
}

/** `f!@kn`, `f@@kn`, `f&^KN`: signs in the place of letters. */
function isMasked(text: string, at: number): boolean {
  let end = at;
  const isCaret = sigilOf(text[at]!) === '^';
  const masks = isCaret ? '$&@^' : '!#$%&*@^';
  while (end > 0 && masks.includes(text[end - 1]!)) end--;
  if (end === at || !makesWord(signBefore(text, end))) return false;
  // Words may end right before a caret, `Stop!^KN`, `^ORAC&^STEF`: only a first letter has its word masked.
  return !isCaret || /^(?:\s|$)/u.test(signBefore(text, end - signBefore(text, end).length));
}

/** The character at `at`, whole even when it takes two units; empty at the end. */
function signAt(text: string, at: number): string {
  const code = text.codePointAt(at);
  return code === undefined ? '' : String.fromCodePoint(code);
}

const letters = /[A-Za-z0-9_.-]*/y;
const handleSign = /^[A-Za-z0-9_.-]$/;
const longestHandle = 32;

function read(text: string, start: number, sigil: '^' | '@'): WrittenAddress | undefined {
  letters.lastIndex = start + 1;
  const whole = letters.exec(text)![0];
  let length = whole.length;
  // A full stop or dash at the end is the sentence's, not the handle's.
  while (/[._-]/.test(whole[length - 1] ?? '')) length--;
  const short = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,31}?)[._-]{2}/.exec(whole.slice(0, Math.min(length, longestHandle + 2)))?.[1];
  const one = (name: string, follows: string): WrittenAddress => ({
    sigil,
    name,
    start,
    end: start + 1 + name.length,
    plausible: plausible(name, sigil, follows),
  });
  if (length > longestHandle) return short === undefined ? undefined : one(short, '');
  const follows = signAt(text, start + 1 + whole.length);
  // Behind a full stop a new sentence may begin without a blank; behind nothing, `-` or `_` the word goes on.
  const goesOn = whole === '' ? follows !== '' && wordSign.test(follows) : !whole.slice(length).endsWith('.') && makesWord(follows);
  if (goesOn) return lookAlike(text, start, sigil);
  if (!/[A-Za-z0-9]/.test(whole[0] ?? '')) return undefined;
  const touches = length === whole.length ? follows : '';
  // `@ann@example.org` is somebody somewhere else.
  if (sigil === '@' && touches === '@' && /[A-Za-z0-9]/.test(text[start + 2 + length] ?? '')) return undefined;
  return { ...one(whole.slice(0, length), touches), ...(short === undefined ? {} : { short }) };
}

/** A name with a character in it that no handle has. Undefined: an emoticon, a power, or too long for a name. */
function lookAlike(text: string, start: number, sigil: '^' | '@'): WrittenAddress | undefined {
  let end = start + 1;
  let isAlone = true;
  for (let sign = signAt(text, end); sign !== '' && end - start <= 2 * longestHandle; sign = signAt(text, end)) {
    const isUnseen = unseen.test(sign);
    const alone = !isUnseen && standsAlone.test(sign);
    if (alone ? !isAlone : !isUnseen && !handleSign.test(sign) && !wordSign.test(sign)) break;
    isAlone &&= alone || isUnseen;
    end += sign.length;
  }
  while (/[._-]/.test(text[end - 1]!)) end--;
  const name = text.slice(start + 1, end);
  const seen = name.replaceAll(invisibleCharacters, '').normalize('NFKC');
  if (seen.length < 2 || seen.length > longestHandle || !/^[\p{L}\p{N}]/u.test(seen)) return undefined;
  return { sigil, name, start, end, plausible: plausible(seen, sigil, signAt(text, end)), cause: 'look_alike' };
}

/** `x ^2`, `^1.2.x`, `^o^` and `@types/node` are not attempts to address anyone; a notice about them would be noise. */
function plausible(name: string, sigil: '^' | '@', follows: string): boolean {
  if (/^v?\p{N}+(?:[._-]|$)/u.test(name)) return false;
  return !sign.test(follows) && !(sigil === '@' && follows === '/');
}

/** The nearest handle to one that nobody has, to offer instead; undefined when none is near. `known`: by what they fold to. */
export function nearestHandle(name: string, known: ReadonlyMap<string, { handle: string }>): string | undefined {
  const drawn = skeleton(name);
  const fold = /^[\w.-]*$/.test(name) ? foldHandle(name) : drawn;
  let best: { handle: string; distance: number } | undefined;
  for (const [other, { handle }] of known) {
    if (skeleton(other) === drawn) return handle;
    const limit = Math.max(1, Math.floor(Math.max(fold.length, other.length) / 3));
    const distance = editDistance(fold, other, Math.min(limit, best ? best.distance - 1 : limit));
    // With every letter changed it is no longer the same word.
    if (distance !== undefined && distance < fold.length && (!best || distance < best.distance)) best = { handle, distance };
  }
  return best?.handle;
}

/** Letters to add, drop, change or swap with a neighbour; undefined when more than `limit`. */
function editDistance(a: string, b: string, limit: number): number | undefined {
  if (limit < 0 || Math.abs(a.length - b.length) > limit) return undefined;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min(row[j - 1]! + 1, last[j]! + 1, last[j - 1]! + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]! <= limit ? last[b.length] : undefined;
}

// Who can be addressed in a room.

export interface DirectoryEntry {
  handle: string;
  kind: MemberKind | 'role';
  /** Handles of roles it holds; they can be called even if the room does not list them. */
  roles?: readonly string[] | undefined;
}

/** Everyone who can be addressed in a room: those in it, and the roles they hold. */
export function directoryOf(members: readonly DirectoryEntry[]): Directory {
  const all: Pick<DirectoryEntry, 'handle' | 'kind'>[] = [];
  for (const { roles } of members) if (roles) for (const handle of roles) all.push({ handle, kind: 'role' });
  return directory(all.length === 0 ? members : [...all, ...members]);
}

// Why something that looks like an address calls nobody (PAP-18), in words: the same before it is sent and after.

const because: Readonly<Record<UnreadCause, string>> = {
  look_alike: 'contains a character that no handle has',
  quoted: 'is inside quotation marks',
  indented: 'is in an indented line, which is code',
};

/** `written`: as its author wrote it, sign included; null where the text has changed since. Undefined: for another cause. */
export const unreadText = (cause: string | null | undefined, written: string | null): string | undefined => {
  const why = (because as Record<string, string | undefined>)[cause ?? ''];
  return why && `${written ?? 'An address'} ${why}, so it calls nobody.`;
};
