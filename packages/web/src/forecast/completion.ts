// Completion of an address while it is typed: where it opens, what it offers, what it puts in. Pure.

import { writtenAddresses } from '@parley/core';
import type { RoomAgent } from './room.ts';

/** A sigil with what was typed behind it, where `core` would read an address. */
export interface TypedHandle {
  sigil: '^' | '@';
  query: string;
  start: number;
  /** Of the whole word the caret is in. */
  end: number;
}

export interface Choice {
  handle: string;
  name: string;
  /** Null: a group or a role, not a member. */
  member: RoomAgent | null;
  /** An agent that is not in this conversation: it can be brought in. */
  elsewhere?: true;
}

const before = /[\^@][A-Za-z0-9_.-]{0,32}$/;
const after = /^[A-Za-z0-9_.-]*/;

export function typedAt(text: string, caret: number): TypedHandle | null {
  const match = before.exec(text.slice(Math.max(0, caret - 33), caret));
  if (!match) return null;
  const start = caret - match[0].length;
  const sigil = match[0][0] as TypedHandle['sigil'];
  const end = caret + after.exec(text.slice(caret, caret + 33))![0].length;
  // Asked of the parser itself, with some name in the place: in code, a quote or a word there would be no address.
  const probe = `${text.slice(0, start)}${sigil}x${text.slice(end)}`;
  if (!writtenAddresses(probe).some((address) => address.start === start && address.cause === undefined)) return null;
  return { sigil, query: match[0].slice(1), start, end };
}

const groups: Record<TypedHandle['sigil'], Choice[]> = {
  '^': [
    { handle: 'ALL', name: 'every agent here, a turn each', member: null },
    { handle: 'ANY', name: 'whichever agent takes it first', member: null },
  ],
  '@': [
    { handle: 'all', name: 'every person here', member: null },
    { handle: 'any', name: 'any person here', member: null },
  ],
};

const mostShown = 8;

/** By prefix of the handle, then of the name, then anywhere in either; within each by handle. Agents of elsewhere come last, by their handle's prefix. */
export function choicesFor(
  { sigil, query }: TypedHandle,
  here: readonly RoomAgent[],
  myId: string,
  elsewhere: readonly RoomAgent[] = [],
): Choice[] {
  const members = here
    .filter((member) => member.id !== myId && (sigil === '@' || member.kind === 'agent'))
    .sort((a, b) => a.handle.localeCompare(b.handle))
    .map((member): Choice => ({ handle: member.handle, name: member.displayName, member }));
  const wanted = query.toLowerCase();
  const ranked = [...members, ...rolesIn(here), ...groups[sigil]].map((choice) => ({ choice, rank: rank(choice, wanted) }));
  const found = ranked
    .filter((item) => item.rank < 3)
    .sort((a, b) => a.rank - b.rank)
    .map((item) => item.choice);
  return [...found, ...(wanted === '' ? [] : notHere(elsewhere, wanted))].slice(0, mostShown);
}

function notHere(elsewhere: readonly RoomAgent[], wanted: string): Choice[] {
  return elsewhere
    .filter(({ kind, status, handle }) => kind === 'agent' && status === 'active' && handle.toLowerCase().startsWith(wanted))
    .sort((a, b) => a.handle.localeCompare(b.handle))
    .map((member): Choice => ({ handle: member.handle, name: 'not in this conversation', member, elsewhere: true }));
}

/** Once each, with how many here hold it. */
function rolesIn(here: readonly RoomAgent[]): Choice[] {
  const held = Map.groupBy(
    here.flatMap(({ roles }) => roles ?? []),
    (handle) => handle,
  );
  return [...held]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([handle, holders]) => ({
      handle,
      name: holders.length === 1 ? 'role, 1 holds it here' : `role, ${holders.length} hold it here`,
      member: null,
    }));
}

function rank({ handle, name, member }: Choice, wanted: string): number {
  const [byHandle, byName] = [handle.toLowerCase(), name.toLowerCase()];
  if (byHandle.startsWith(wanted)) return 0;
  if (member === null) return 3;
  if (byName.startsWith(wanted)) return 1;
  return byHandle.includes(wanted) || byName.includes(wanted) ? 2 : 3;
}

/** A handle that is typed in full needs no completing: then Enter sends. So does it where nothing is typed but the sigil. */
export const takesEnter = ({ query }: TypedHandle, choices: readonly Choice[]): boolean =>
  query !== '' && choices.length > 0 && choices[0]!.handle.toLowerCase() !== query.toLowerCase();

/** The text with the handle and a space in the place of what was typed, and where the caret then stands. */
export function complete(text: string, typed: TypedHandle, handle: string): { text: string; caret: number } {
  const rest = text.slice(typed.end);
  const spaced = /^\s/.test(rest);
  const space = spaced || /^[,.;:!?)]/.test(rest) ? '' : ' ';
  const inserted = `${typed.sigil}${handle}${space}`;
  return { text: text.slice(0, typed.start) + inserted + rest, caret: typed.start + inserted.length + (spaced ? 1 : 0) };
}
