// A safety number lets two people compare their keys by voice: both see the same 60 digits, and no others do (A2C-4).

import { joinBytes, utf8 } from '@parley/protocol/relay';
import { hashOf } from '../seal/sodium.ts';

export interface KeyHolder {
  address: string;
  key: Uint8Array;
}

const groups = 6;

/** Twelve groups of five digits, the same for both. */
export function safetyNumber(a: KeyHolder, b: KeyHolder): string {
  return [digitsOf(a), digitsOf(b)].toSorted().join(' ');
}

/** About 100 bits: too many to search for a key with the same digits. */
function digitsOf({ address, key }: KeyHolder): string {
  const hash = hashOf(joinBytes(utf8(`a2acp-safety/1\0${address}\0`), key), groups * 5);
  const digits = Array.from({ length: groups }, (_, i) => {
    const number = hash.subarray(i * 5, i * 5 + 5).reduce((sum, byte) => sum * 256 + byte, 0);
    return String(number % 100_000).padStart(5, '0');
  });
  return digits.join(' ');
}
