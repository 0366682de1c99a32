// Whom a text addresses (PAP-18), read as a careful person would: not in code, quotes, links or behind a backslash,
// not inside a word, whatever the case. One pass over the text; the time is linear in its length.
//
// `^HANDLE` is always an agent. `@handle` is whoever has that handle. `^ALL` and `^ANY` are agents only, `@all` and
// `@any` people only.

import { foldHandle, type MemberKind } from '@parley/protocol';
import { hiddenSpans } from './markdown.ts';

export type AddressKind = 'agent' | 'human' | 'role' | 'all_agents' | 'any_agent' | 'all_humans' | 'any_human' | 'unknown';

export interface Address {
  kind: AddressKind;
  /** As the member spells it; for an unknown one, as it was written. */
  handle: string;
  /** UTF-16 offsets, sigil included. */
  start: number;
  end: number;
}

/** Who can be addressed here, by folded handle. */
export type Directory = ReadonlyMap<string, { handle: string; kind: MemberKind | 'role' }>;

export function directory(members: Iterable<{ handle: string; kind: MemberKind | 'role' }>): Directory {
  const found = new Map<string, { handle: string; kind: MemberKind | 'role' }>();
  for (const member of members) found.set(foldHandle(member.handle), member);
  return found;
}

const groups: Record<string, AddressKind> = { '^all': 'all_agents', '^any': 'any_agent', '@all': 'all_humans', '@any': 'any_human' };

/** A sigil and a name, before anyone has looked whose name it is. */
export interface Written {
  sigil: '^' | '@';
  name: string;
  start: number;
  end: number;
  /** Looks like an attempt to address someone; if nobody has the name, the author is told. */
  plausible: boolean;
  /** `ORAC` of `^ORAC...well`: meant when nobody is called `ORAC...well`. */
  short?: string;
}

const signs = /[\\^@]/g;

/** What is written like an address, in order. A hub looks up these names, long and short, and no others. */
export function written(text: string): Written[] {
  // Most messages call nobody: they are not read any further.
  if (!text.includes('^') && !text.includes('@')) return [];
  const found: Written[] = [];
  const hidden = hiddenSpans(text);
  let span = 0;
  signs.lastIndex = 0;
  for (let sign = signs.exec(text); sign; sign = signs.exec(text)) {
    const at = sign.index;
    while (span < hidden.length && hidden[span]!.end <= at) span++;
    if (span < hidden.length && hidden[span]!.start <= at) signs.lastIndex = hidden[span]!.end;
    else if (sign[0] === '\\') signs.lastIndex = at + 2;
    else if (!followsWord(text, at)) {
      const one = read(text, at, sign[0] as '^' | '@');
      if (!one) continue;
      found.push(one);
      signs.lastIndex = one.end;
    }
  }
  return found;
}

/** Whom the text addresses, of those who can be addressed here. */
export function addresses(text: string, known: Directory): Address[] {
  return resolve(written(text), known);
}

export function resolve(found: readonly Written[], known: Directory): Address[] {
  return found.flatMap(({ sigil, name, start, end, plausible, short }): Address[] => {
    const whose = (written: string): Omit<Address, 'start' | 'end'> | undefined => {
      const fold = foldHandle(written);
      const group = groups[sigil + fold];
      if (group) return { kind: group, handle: sigil === '^' ? fold.toUpperCase() : fold };
      const member = known.get(fold);
      // `^` never means a person: who wrote it meant an agent, and there is none of that name.
      return member && (sigil === '@' || member.kind !== 'human') ? { kind: member.kind, handle: member.handle } : undefined;
    };
    const whole = whose(name);
    if (whole) return [{ ...whole, start, end }];
    const part = short === undefined ? undefined : whose(short);
    if (part) return [{ ...part, start, end: start + 1 + short!.length }];
    return plausible ? [{ kind: 'unknown', handle: name, start, end }] : [];
  });
}

// A handle is ASCII. Letters, digits, marks and whatever cannot be seen make what they touch another word, that only
// looks like it. (`\p{Alphabetic}` knows the letters in circles, too.)
const wordSign = /^[\p{Alphabetic}\p{N}\p{M}\p{Pc}\p{Cf}\p{Default_Ignorable_Code_Point}]$/u;
// These scripts put no blanks between words, or (Hangul) write what belongs to a name right behind it, and none of their
// letters passes for a Latin one: `你好^ORAC`, `^ORACさん` and `^ORAC에게` call ORAC.
const standsAlone = /^(?=[\p{L}\p{M}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}]$/u;
const unseen = /^\p{Default_Ignorable_Code_Point}$/u;
const makesWord = (sign: string): boolean => wordSign.test(sign) && (!standsAlone.test(sign) || unseen.test(sign));

/** Something stands right before it that makes it part of a word: `2^ALL`, `ann@example.org`. */
function followsWord(text: string, at: number): boolean {
  let end = at;
  // `_^ORAC_` is stressed, `snake_^ORAC` a word.
  while (text[end - 1] === '_') end--;
  const sign = signBefore(text, end);
  if (sign === '\uFE0F') return !/^\p{Extended_Pictographic}$/u.test(signBefore(text, end - 1));
  return sign !== '\u20E3' && makesWord(sign);
}

/** The character before `at`, whole even when it takes two units; empty at the beginning. */
function signBefore(text: string, at: number): string {
  const unit = text.slice(Math.max(0, at - 1), at);
  const pair = at > 1 && unit >= '\uDC00' && unit <= '\uDFFF' ? text.codePointAt(at - 2)! : 0;
  return pair > 0xffff ? String.fromCodePoint(pair) : unit;
}

const letters = /[A-Za-z0-9_.-]*/y;
const longestHandle = 32;

function read(text: string, start: number, sigil: '^' | '@'): Written | undefined {
  letters.lastIndex = start + 1;
  const whole = letters.exec(text)![0];
  let length = whole.length;
  // A full stop or dash at the end is the sentence's, not the handle's.
  while (/[._-]/.test(whole[length - 1] ?? '')) length--;
  const short = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,31}?)[._-]{2}/.exec(whole.slice(0, Math.min(length, longestHandle + 2)))?.[1];
  const one = (name: string, follows: string): Written => ({
    sigil,
    name,
    start,
    end: start + 1 + name.length,
    plausible: plausible(name, sigil, follows),
  });
  if (length > longestHandle) return short === undefined ? undefined : one(short, '');
  if (!/[A-Za-z0-9]/.test(whole[0] ?? '')) return undefined;
  const after = text.codePointAt(start + 1 + whole.length);
  const follows = after === undefined ? '' : String.fromCodePoint(after);
  // Behind a full stop a new sentence may begin without a blank; behind nothing, `-` or `_` the word goes on.
  if (!whole.slice(length).endsWith('.') && makesWord(follows)) return undefined;
  const touches = length === whole.length ? follows : '';
  // `@ann@example.org` is somebody somewhere else.
  if (sigil === '@' && touches === '@' && /[A-Za-z0-9]/.test(text[start + 2 + length] ?? '')) return undefined;
  return { ...one(whole.slice(0, length), touches), ...(short === undefined ? {} : { short }) };
}

/** `x ^2`, `^1.2.x`, `^o^` and `@types/node` are not attempts to address anyone; a notice about them would be noise. */
function plausible(name: string, sigil: '^' | '@', follows: string): boolean {
  if (/^v?\d+(?:[._-]|$)/.test(name)) return false;
  return follows !== '^' && follows !== '@' && !(sigil === '@' && follows === '/');
}

/** The nearest handle to one that nobody has, to offer instead; undefined when none is near. `known`: by what they fold to. */
export function nearest(name: string, known: ReadonlyMap<string, { handle: string }>): string | undefined {
  const fold = foldHandle(name);
  let best: { handle: string; distance: number } | undefined;
  for (const [other, { handle }] of known) {
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
