// A fingerprint is one person's half of every safety number of theirs: six groups of five digits for an address and its key (A2C-4).

import { joinBytes, utf8 } from './bytes.ts';

export interface KeyHolder {
  address: string;
  key: Uint8Array;
}

const groups = 6;

/** About 100 bits: too many to search for a key with the same digits. `blake2b` comes from the caller, whose library it is. */
export function fingerprintOf({ address, key }: KeyHolder, blake2b: (bytes: Uint8Array, length: number) => Uint8Array): string {
  const hash = blake2b(joinBytes(utf8(`a2acp-safety/1\0${address}\0`), key), groups * 5);
  const digits = Array.from({ length: groups }, (_, i) => {
    const number = hash.subarray(i * 5, i * 5 + 5).reduce((sum, byte) => sum * 256 + byte, 0);
    return String(number % 100_000).padStart(5, '0');
  });
  return digits.join(' ');
}
