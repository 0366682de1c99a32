// How often the composing window splits a request by accident, on requests with the times of their pieces, and whether
// C2A-28 repairs it. The times are data: nothing here waits.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { addresses } from './address.ts';
import { isComplete } from './completeness.ts';
import { keepOpen, openWindow, type Piece, windowLimits } from './window.ts';

interface Request {
  id: string;
  lang: string;
  pieces: { at: number; typing?: number[]; text: string }[];
}

const requests = readFileSync(new URL('../../../spec/corpora/fragments.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Request);
const known = new Map([['orac', { handle: 'ORAC', kind: 'agent' as const }]]);
/** A model has not said its first word before this. */
const firstWordMs = 3000;

/** When its first turn begins, after which wait, and which piece came too late for it. */
function firstTurn({ pieces }: Request): { readyAt: number; wait: Piece | 'typing'; late: number | undefined } {
  const pieceOf = (text: string, later = false): Piece => (isComplete(text, addresses(text, known), later) ? 'finished' : 'unfinished');
  const events = pieces
    .slice(1)
    .flatMap(({ at, typing = [], text }) => [
      ...typing.map((when) => ({ at: when, by: 'typing' as const })),
      { at, by: pieceOf(text, true) },
    ]);
  let wait: Piece | 'typing' = pieceOf(pieces[0]!.text);
  let window = openWindow(0, windowLimits, wait);
  for (const { at, by } of events) {
    if (at >= window.readyAt) break;
    window = keepOpen(window, by, at, windowLimits);
    wait = by;
  }
  return { readyAt: window.readyAt, wait, late: pieces.find(({ at }) => at >= window.readyAt && at > 0)?.at };
}

test('[C2A-4] [C2A-28] of the requests in the corpus the short wait splits at most 1 %, and what it splits is repaired', () => {
  const turns = requests.map((request) => ({ id: request.id, ...firstTurn(request) }));
  const split = turns.filter(({ late }) => late !== undefined);
  const accidental = split.filter(({ wait }) => wait === 'finished');
  const repaired = split.filter(({ late, readyAt }) => late! < readyAt + firstWordMs && late! < windowLimits.longestMs);
  const inPieces = requests.filter(({ pieces }) => pieces.length > 1);
  const shortly = turns.filter(({ wait }) => wait === 'finished').length;
  // These figures stand in docs/attention.md.
  expect({
    requests: requests.length,
    inPieces: inPieces.length,
    shortly,
    accidental: accidental.map(({ id }) => id),
    split: split.length,
    repaired: repaired.length,
  }).toEqual({ requests: 249, inPieces: 55, shortly: 207, accidental: ['fra-0233', 'fra-0234'], split: 2, repaired: 2 });
  expect(accidental.length / requests.length).toBeLessThanOrEqual(0.01);
});
