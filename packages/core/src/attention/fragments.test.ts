// How often the composing window splits a request by accident, on requests with the times of their pieces, and whether
// C2A-28 repairs it.

import { expect, test } from 'vitest';
import { splitsIn } from '../../test/fragments.ts';

test('[C2A-4] [C2A-28] of the requests in the corpus the short wait splits at most 1 %, and what it splits is repaired', () => {
  const found = splitsIn(new URL('../../../../spec/corpora/fragments.jsonl', import.meta.url));
  // These figures stand in docs/attention.md.
  expect(found).toEqual({ requests: 249, inPieces: 55, shortly: 207, accidental: ['fra-0233', 'fra-0234'], split: 2, repaired: 2 });
  expect(found.accidental.length / found.requests).toBeLessThanOrEqual(0.01);
});
