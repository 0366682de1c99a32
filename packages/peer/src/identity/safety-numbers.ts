// A safety number lets two people compare their keys by voice: both see the same 60 digits, and no others do (A2C-4).

import { fingerprintOf, type KeyHolder } from '@parley/protocol/relay';
import { hashOf } from '../seal/sodium.ts';

export const fingerprint = (holder: KeyHolder): string => fingerprintOf(holder, hashOf);

/** Twelve groups of five digits, the same for both. */
export const safetyNumber = (a: KeyHolder, b: KeyHolder): string => [fingerprint(a), fingerprint(b)].toSorted().join(' ');
