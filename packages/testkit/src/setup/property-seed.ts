// Vitest's set-up for unit tests: every property test of a run draws from one seed, and only a soak draws new ones. A failure
// then comes again, and a submission does not fail by chance.

import fc from 'fast-check';
import { soaking } from '../trials.ts';

const named = process.env['PARLEY_SEED'];
if (named !== undefined || !soaking) fc.configureGlobal({ seed: Number(named ?? 7) });
