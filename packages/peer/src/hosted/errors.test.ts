import { badInput, PeerCallError } from '@parley/protocol';
import { expect, test } from 'vitest';
import { faultOf } from './errors.ts';

test('[A2C-34] the operator’s log gets the kind of a fault, and none of its words', () => {
  const words = 'Dinner with Ann at the Canary';
  const faults = [new Error(words), badInput(words), new PeerCallError('refused', words)];
  expect(faults.map(faultOf)).toEqual(['Error', 'PeerCallError bad_input', 'PeerCallError refused']);
  const disk = Object.assign(new Error(words), { code: 'ENOSPC' });
  expect([faultOf(disk), faultOf({ name: words, code: words }), faultOf(words)]).toEqual([
    'Error ENOSPC',
    'unknown fault',
    'unknown fault',
  ]);
});
