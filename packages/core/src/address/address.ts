// The addresses in a text (PAP-18), as a careful reader finds them: not in code, quotes, links or words, nor behind a backslash. Case does
// not matter, and the time is linear in the length of the text. `^HANDLE` is always an agent. `@handle` is the member with that handle.
// `^ALL` and `^ANY` are agents only, `@all` and `@any` people only.

import { foldHandle, type MemberKind } from '@parley/protocol';
import { rememberLast } from '../text/remember-last.ts';
import { invisibleCharacters, skeleton } from '../text/look-alike.ts';
import { hiddenSpans } from '../text/markdown.ts';
import { quotationSpans } from '../text/quotation-marks.ts';
import { signBefore } from '../text/span.ts';

export type AddressKind = 'agent' | 'human' | 'role' | 'all_agents' | 'any_agent' | 'all_humans' | 'any_human' | 'unknown';

export interface Address {
  kind: AddressKind;
  /** The handle as the member spells it; for an unknown one, as the author wrote it. */
  handle: string;
  /** UTF-16 offsets, sigil included. */
  start: number;
  end: number;
  /** Why an unknown address calls nobody, although its author may have meant somebody. */
  cause?: UnreadCause;
}

/**
 * Why a text that looks like an address calls nobody: it contains or touches a character that no handle has, or it stands in quotation
 * marks or in an indented line, which is code.
 */
export type UnreadCause = 'look_alike' | 'quoted' | 'indented';

/** Whether only its place keeps the address from calling. Its member is here, so no other handle is suggested. */
export const isPassedOver = (cause: UnreadCause | undefined): boolean => cause === 'quoted' || cause === 'indented';

/** The members and roles that can be addressed here, by folded handle. */
export type Directory = ReadonlyMap<string, { handle: string; kind: MemberKind | 'role' }>;

export function directory(members: Iterable<{ handle: string; kind: MemberKind | 'role' }>): Directory {
  const found = new Map<string, { handle: string; kind: MemberKind | 'role' }>();
  for (const member of members) found.set(foldHandle(member.handle), member);
  return found;
}

const groups: Record<string, AddressKind> = { '^all': 'all_agents', '^any': 'any_agent', '@all': 'all_humans', '@any': 'any_human' };

/** A sigil and a name, before the name is looked up. */
export interface WrittenAddress {
  sigil: '^' | '@';
  name: string;
  start: number;
  end: number;
  /** Looks like an attempt to address someone; if nobody has the name, the author gets a notice. */
  plausible: boolean;
  /** `ORAC` of `^ORAC...well`, which counts if nobody is called `ORAC...well`. */
  short?: string;
  cause?: UnreadCause;
  /** The author gets a notice only if somebody here has the handle. */
  ifHere?: true;
}

/** Sigils and signs that look like them. A look-alike calls nobody, and its author gets a notice. */
const sign = /[\^@＾＠﹫ˆ⌃]/;
/** The places where an address may begin: not inside a word, and not without a name. The pattern skips all others quickly. */
const signs = /\\|(?<![A-Za-z0-9])[\^@＾＠﹫ˆ⌃](?=[A-Za-z0-9]|[^\0-\x7F])/g;
/** Only this many addresses of a text are read. */
const mostRead = 1_000;
/** The sigil that a look-alike stands for. */
export const sigilOf = (written: string): '^' | '@' => (/^[@＠﹫]/.test(written) ? '@' : '^');
/** These signs also stand for keys and accents, so few of them are addresses. */
const isRareSign = (written: string): boolean => written === 'ˆ' || written === '⌃';

/** Everything that is written like an address, in order. A hub looks up only these names, long and short. */
export const writtenAddresses: (text: string) => readonly WrittenAddress[] = rememberLast(readAddresses);

function readAddresses(text: string): WrittenAddress[] {
  // Most messages call nobody, so the rest is skipped.
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

/** The members, roles and groups that the text addresses. */
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
      // `^` never calls a person, because its author meant an agent.
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

// A handle is ASCII. A letter, digit, mark or invisible sign beside it makes another word that only looks like the handle.
// (`\p{Alphabetic}` includes letters in circles.)
const wordSign = /^[\p{Alphabetic}\p{N}\p{M}\p{Pc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
// These scripts put no blanks between words, or (Hangul) write particles right behind a name, and none of their letters looks like a Latin
// one: `你好^ORAC`, `^ORACさん` and `^ORAC에게` call ORAC.
const standsAlone = /^(?=[\p{L}\p{M}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}]$/u;
const unseen = /^[\p{Default_Ignorable_Code_Point}\p{Cf}]$/u;
const makesWord = (sign: string): boolean => wordSign.test(sign) && (!standsAlone.test(sign) || unseen.test(sign));

/** `word`: the sign before the address makes it a part of a word, as in `2^ALL` and `ann@example.org`. */
function whatPrecedes(text: string, at: number): 'word' | 'invisible' | 'other' {
  let end = at;
  // `_^ORAC_` has emphasis, `snake_^ORAC` is a word.
  while (text[end - 1] === '_') end--;
  let sign = signBefore(text, end);
  // This sign often follows an emoji.
  if (sign === '\uFE0F' && /^\p{Extended_Pictographic}$/u.test(signBefore(text, end - 1))) return 'other';
  const seen = end;
  while (sign !== '' && unseen.test(sign)) {
    end -= sign.length;
    sign = signBefore(text, end);
  }
  if (sign !== '\u20E3' && makesWord(sign)) return 'word';
  return end === seen ? 'other' : 'invisible';
}

/** Whether signs replace letters of a word, as in `f!@kn`, `f@@kn` and `f&^KN`. */
function isMasked(text: string, at: number): boolean {
  let end = at;
  const isCaret = sigilOf(text[at]!) === '^';
  const masks = isCaret ? '$&@^' : '!#$%&*@^';
  while (end > 0 && masks.includes(text[end - 1]!)) end--;
  if (end === at || !makesWord(signBefore(text, end))) return false;
  // Words may end right before a caret, `Stop!^KN`, `^ORAC&^STEF`: only a first letter has its word masked.
  return !isCaret || /^(?:\s|$)/u.test(signBefore(text, end - signBefore(text, end).length));
}

/** The whole character at `at`, also if it takes two units; empty at the end. */
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
  // A full stop or dash at the end belongs to the sentence.
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
  // Behind a full stop a new sentence may begin without a blank; otherwise a letter continues the word.
  const goesOn = whole === '' ? follows !== '' && wordSign.test(follows) : !whole.slice(length).endsWith('.') && makesWord(follows);
  if (goesOn) return lookAlike(text, start, sigil);
  if (!/[A-Za-z0-9]/.test(whole[0] ?? '')) return undefined;
  const touches = length === whole.length ? follows : '';
  // `@ann@example.org` is an account elsewhere.
  if (sigil === '@' && touches === '@' && /[A-Za-z0-9]/.test(text[start + 2 + length] ?? '')) return undefined;
  return { ...one(whole.slice(0, length), touches), ...(short === undefined ? {} : { short }) };
}

/** Reads a name with a character that no handle has. Undefined for an emoticon, a power, or a text that is too long for a name. */
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

/** Whether the author may have meant somebody. `x ^2`, `^1.2.x`, `^o^` and `@types/node` address nobody, and need no notice. */
function plausible(name: string, sigil: '^' | '@', follows: string): boolean {
  if (/^v?\p{N}+(?:[._-]|$)/u.test(name)) return false;
  return !sign.test(follows) && !(sigil === '@' && follows === '/');
}

/** Suggests the handle that is most like an unknown one; undefined if none is. `handles` is keyed by folded handle. */
export function nearestHandle(name: string, handles: ReadonlyMap<string, { handle: string }>): string | undefined {
  const drawn = skeleton(name);
  const fold = /^[\w.-]*$/.test(name) ? foldHandle(name) : drawn;
  let best: { handle: string; distance: number } | undefined;
  for (const [other, { handle }] of handles) {
    if (skeleton(other) === drawn) return handle;
    const limit = Math.max(1, Math.floor(Math.max(fold.length, other.length) / 3));
    const distance = editDistance(fold, other, Math.min(limit, best ? best.distance - 1 : limit));
    // A handle with every letter changed is no suggestion.
    if (distance !== undefined && distance < fold.length && (!best || distance < best.distance)) best = { handle, distance };
  }
  return best?.handle;
}

/** The number of letters to add, drop, change or swap with a neighbour; undefined if it is above `limit`. */
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

export interface DirectoryEntry {
  handle: string;
  kind: MemberKind | 'role';
  /** Handles of the team roles that the member holds. They can be called even if the conversation does not list them. */
  roles?: readonly string[] | undefined;
}

/** Everyone who can be addressed in a conversation: its members, and the team roles that they hold. */
export function directoryOf(members: readonly DirectoryEntry[]): Directory {
  const all: Pick<DirectoryEntry, 'handle' | 'kind'>[] = [];
  for (const { roles } of members) if (roles) for (const handle of roles) all.push({ handle, kind: 'role' });
  return directory(all.length === 0 ? members : [...all, ...members]);
}

const unreadReasons: Readonly<Record<UnreadCause, string>> = {
  look_alike: 'contains a character that no handle has',
  quoted: 'is inside quotation marks',
  indented: 'is in an indented line, which is code',
};

/**
 * Explains why a text that looks like an address calls nobody (PAP-18), with the same words before and after it is sent. `written`: the
 * author's spelling, with the sigil; null if the text has changed since. Undefined for another cause.
 */
export const unreadText = (cause: string | null | undefined, written: string | null): string | undefined => {
  const why = (unreadReasons as Record<string, string | undefined>)[cause ?? ''];
  return why && `${written ?? 'An address'} ${why}, so it calls nobody.`;
};
