// A name in a file means the member that it meant when it was first read (SYS-11): a later holder of the handle gets
// nothing of theirs. An ID means its member for good.

import { foldHandle, MemberId } from '@parley/protocol';
import type { MemberRow, NamePinRow } from '../../../store/tables.ts';
import type { Tx } from '../../command.ts';
import type { WorkingSet } from '../../working-set.ts';

/** `isNew`: nothing has pinned it yet. `problem`: it means nobody until somebody writes whom it means. */
export interface Meant {
  id?: string;
  isNew?: true;
  problem?: string;
}

export const toolsPlace = (server: string): string => `tools:${server}`;
export const folderPlace = (handle: string): string => `agents:${foldHandle(handle)}`;
export const objectPlace = (kind: string, id: string): string => `${kind}:${id}`;

export const pinOf = (place: string, name: string, set: WorkingSet): NamePinRow | undefined => set.get('name_pins', place, name);

/** Over the API, a handle means who has it when it is written. */
export function memberNow(written: string, set: WorkingSet): MemberRow | undefined {
  const name = written.replace(/^[@^]/, '');
  return MemberId.safeParse(name).success ? set.get('members', name) : set.find('members', 'handle', foldHandle(name))[0];
}

/** Null: it means nobody. */
export function pinName(place: string, name: string, subjectId: string | null, tx: Tx): void {
  const subject_id = subjectId ?? '';
  if (pinOf(place, name, tx)?.subject_id === subject_id) return;
  tx.lock(`name_pins:${place}`);
  tx.put('name_pins', { place, name, subject_id, at: tx.now });
}

/** `written`: a handle, with its sign or without, or an ID. */
export function memberMeant(place: string, written: string, sigil: '@' | '^', set: WorkingSet): Meant {
  const name = written.replace(/^[@^]/, '');
  if (MemberId.safeParse(name).success) return { id: name };
  const [now] = set.find('members', 'handle', foldHandle(name));
  const pin = pinOf(place, sigil + foldHandle(name), set);
  if (!pin) return now ? { id: now.id, isNew: true } : {};
  if (now && now.id !== pin.subject_id) return { problem: anotherNow(sigil + name, pin.subject_id, now.id) };
  return { id: pin.subject_id };
}

const anotherNow = (name: string, before: string, now: string): string =>
  `${name} is another ${name.startsWith('^') ? 'agent' : 'person'} now. It meant ${before} and would mean ${now}: write the ID of the one you mean.`;

/** The same, where it may be written down. */
export function pinMember(place: string, written: string, sigil: '@' | '^', tx: Tx): Meant {
  const meaning = memberMeant(place, written, sigil, tx);
  if (meaning.isNew) pinName(place, sigil + foldHandle(written.replace(/^[@^]/, '')), meaning.id!, tx);
  return meaning;
}
