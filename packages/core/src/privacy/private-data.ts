// What an agent has noted for its owner: a note a line. A note is private unless its line begins with `[workspace]` (SYS-6).

import { textsIn } from './private-value-scan.ts';
import { foldForQuotes, shortestQuote } from './quoted-text.ts';

export type NoteTier = 'private' | 'workspace';

interface Note {
  /** As it was written. */
  line: string;
  tier: NoteTier;
  /** Without its marks. */
  value: string;
  isHeading: boolean;
}

const bullet = /^\s*(?:[-*+>]+|\d{1,3}[.)])\s+/;
const heading = /^\s*#+\s+/;
const forWorkspace = /^\[workspace\]\s*/i;

function noteOf(line: string): Note {
  const isHeading = heading.test(line);
  const said = line.replace(isHeading ? heading : bullet, '').trim();
  return { line, tier: forWorkspace.test(said) ? 'workspace' : 'private', value: said.replace(forWorkspace, ''), isHeading };
}

const notesIn = (notes: string): Note[] => notes.split('\n').map(noteOf);
const isPrivate = ({ tier, value }: Note): boolean => tier === 'private' && value !== '';

/** The values to keep from those who may not hear them. A heading is a title, and no value, unless it holds a figure. */
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
  /** How many private ones were left out. */
  withheld: number;
}

/** With the private notes or without them; headings go with those below them, as nothing says whose they are. */
export function notesFor(notes: string, allowed: boolean): NotesForTurn {
  const all = notesIn(notes);
  const given = allowed ? all : all.filter((note) => !isPrivate(note));
  return {
    text: given
      .map(({ line }) => line.replace(/\[workspace\]\s*/i, ''))
      .join('\n')
      .trim(),
    withheld: allowed ? 0 : all.filter((note) => isPrivate(note) && !note.isHeading).length,
  };
}

/** To the brain, in place of them. */
export const withheldNotesText = (count: number): string =>
  `${count === 1 ? 'One private note' : `${count} private notes`} of your owner ${count === 1 ? 'is' : 'are'} withheld from this turn, because your answer or a tool of yours reaches others. If the request needs one, say that your private notes are not available here.`;

/** On the agent's card and in the terminal. */
export const privateNotesText = 'Withheld where others hear its answer, or while a tool of it needs no approval';

export const hasPrivateNotes = (notes: string): boolean => notesIn(notes).some((note) => isPrivate(note) && !note.isHeading);

// Results of a tool server that is one person's own are that person's connected data (SYS-6), under the field `tool.<server>`.

export const connectedField = (server: string): string => `tool.${server}`;

/** A longer result is scanned in part. Withholding and approval do not depend on the scan. */
const mostLetters = 40_000;

/** The texts and numbers of a JSON result, or the lines of any other. */
export function valuesInResult(text: string): string[] {
  let letters = 0;
  return [...new Set(leavesOf(text).flatMap((leaf) => leaf.split('\n').map((line) => line.trim())))].filter(
    (value) => foldForQuotes(value).length >= shortestQuote && (letters += value.length) <= mostLetters,
  );
}

function leavesOf(text: string): string[] {
  try {
    return textsIn(JSON.parse(text));
  } catch {
    return [text];
  }
}

/** To the brain, in place of them. */
export const withheldResultsText = (server: string): string =>
  `The results of ${server} are private data of their owner and are withheld from this turn, because your answer reaches others. If the request needs them, say that ${server} is not available here.`;

/** In the list of tool servers, on the page and in the terminal. */
export const privateResultsText = 'Withheld where others hear the answer';
