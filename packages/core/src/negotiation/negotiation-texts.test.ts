import { expect, test } from 'vitest';
import { negotiationStateText } from './negotiation-texts.ts';

test('[A2C-28] a state is an adjective, and one of a newer peer is shown as it is', () => {
  expect(['INITIATED', 'PROPOSED', 'COMPLETED', 'LUNAR', 'constructor'].map(negotiationStateText)).toEqual([
    'Opened',
    'Waiting for confirmation',
    'Completed',
    'LUNAR',
    'constructor',
  ]);
});
