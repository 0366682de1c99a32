// Requests in pieces with the times of each, and what the composing window makes of them. The times are data: nothing waits.

import { readFileSync } from 'node:fs';
import { addressesIn } from '../src/address/address.ts';
import { isComplete } from '../src/attention/completeness.ts';
import { keepOpen, openWindow, type Fragment, windowLimits } from '../src/attention/composing-window.ts';

interface Request {
  id: string;
  lang: string;
  pieces: { at: number; typing?: number[]; text: string }[];
}

const known = new Map([['orac', { handle: 'ORAC', kind: 'agent' as const }]]);
/** A model has not said its first word before this. */
const firstWordMs = 3000;

/** When its first turn begins, after which wait, and which piece came too late for it. */
function firstTurn({ pieces }: Request): { readyAt: number; wait: Fragment | 'typing'; late: number | undefined } {
  const pieceOf = (text: string, later = false): Fragment =>
    isComplete(text, addressesIn(text, known), later) ? 'finished' : 'unfinished';
  const events = pieces
    .slice(1)
    .flatMap(({ at, typing = [], text }) => [
      ...typing.map((when) => ({ at: when, by: 'typing' as const })),
      { at, by: pieceOf(text, true) },
    ]);
  let wait: Fragment | 'typing' = pieceOf(pieces[0]!.text);
  let window = openWindow(0, windowLimits, wait);
  for (const { at, by } of events) {
    if (at >= window.readyAt) break;
    window = keepOpen(window, by, at, windowLimits);
    wait = by;
  }
  return { readyAt: window.readyAt, wait, late: pieces.find(({ at }) => at >= window.readyAt && at > 0)?.at };
}

/** How often the short wait splits a request by accident, and whether C2A-28 repairs it. */
export function splitsIn(corpus: URL): {
  requests: number;
  inPieces: number;
  shortly: number;
  accidental: string[];
  split: number;
  repaired: number;
} {
  const requests = readFileSync(corpus, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Request);
  const turns = requests.map((request) => ({ id: request.id, ...firstTurn(request) }));
  const split = turns.filter(({ late }) => late !== undefined);
  return {
    requests: requests.length,
    inPieces: requests.filter(({ pieces }) => pieces.length > 1).length,
    shortly: turns.filter(({ wait }) => wait === 'finished').length,
    accidental: split.filter(({ wait }) => wait === 'finished').map(({ id }) => id),
    split: split.length,
    repaired: split.filter(({ late, readyAt }) => late! < readyAt + firstWordMs && late! < windowLimits.longestMs).length,
  };
}
