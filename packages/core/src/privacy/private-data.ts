// An agent's notes for its owner, one in each line. A note is private unless its line begins with `[workspace]` (SYS-6).

import { foldForQuotes, shortestQuote } from './quoted-text.ts';

export type NoteTier = 'private' | 'workspace';

interface Note {
  /** The line as the owner or the agent wrote it. */
  line: string;
  tier: NoteTier;
  /** The note without bullet, heading sign and `[workspace]`. */
  value: string;
  isHeading: boolean;
}

const bullet = /^\s*(?:[-*+>]+|\d{1,3}[.)])\s+/;
const heading = /^\s*#+\s+/;
const forWorkspace = /^\[workspace\]\s*/i;

function noteOf(line: string): Note {
  const isHeading = heading.test(line);
  const body = line.replace(isHeading ? heading : bullet, '').trim();
  return { line, tier: forWorkspace.test(body) ? 'workspace' : 'private', value: body.replace(forWorkspace, ''), isHeading };
}

const notesIn = (notes: string): Note[] => notes.split('\n').map(noteOf);
const isPrivate = ({ tier, value }: Note): boolean => tier === 'private' && value !== '';

/** The private values. A heading is a title and no value, unless it has a digit in it. */
export const valuesIn = (notes: string): string[] => [
  ...new Set(
    notesIn(notes)
      .filter((note) => isPrivate(note) && (!note.isHeading || /\p{N}/u.test(note.value)))
      .map(({ value }) => value)
      .filter((value) => foldForQuotes(value).length >= shortestQuote),
  ),
];

export interface NotesForTurn {
  text: string;
  /** The number of private notes that were left out. */
  withheld: number;
}

/** The notes, with the private ones if `allowed`. Headings without `[workspace]` count as private, because they may say something. */
export function notesFor(notes: string, allowed: boolean): NotesForTurn {
  const all = notesIn(notes);
  const shown = allowed ? all : all.filter((note) => !isPrivate(note));
  return {
    text: shown
      .map(({ line }) => line.replace(/\[workspace\]\s*/i, ''))
      .join('\n')
      .trim(),
    withheld: allowed ? 0 : all.filter((note) => isPrivate(note) && !note.isHeading).length,
  };
}

/** The brain reads this instead of the notes. */
export const withheldNotesText = (count: number): string =>
  `${count === 1 ? 'One private note' : `${count} private notes`} of your owner ${count === 1 ? 'is' : 'are'} withheld from this turn, because your answer or a tool of yours reaches others. If the request needs one, say that your private notes are not available here.`;

/** The agent's card and the terminal show this. */
export const privateNotesText = 'Withheld where others hear its answer, or while a tool of it needs no approval';

export const hasPrivateNotes = (notes: string): boolean => notesIn(notes).some((note) => isPrivate(note) && !note.isHeading);
