// A contact card is an address with its key, as one word that fits a chat message or a QR code. Who adds a card has pinned the key.

import { z } from 'zod';
import {
  canonicalJson,
  fromBase64Url,
  fromUtf8,
  PeerAddress,
  PublicKey,
  toBase64Url,
  utf8,
  fingerprintOf,
  type KeyHolder,
} from '@parley/protocol/relay';
import { hashOf } from '../seal/sodium.ts';

export const ContactCard = z.object({
  address: PeerAddress,
  key: PublicKey,
  /** Where its owner's relay is reached. */
  relay: z.url({ protocol: /^wss?$/ }),
});
export type ContactCard = z.output<typeof ContactCard>;

const prefix = 'a2acp1.';
const checkBytes = 4;

export function writeCard(card: ContactCard): string {
  const content = utf8(canonicalJson(card));
  return `${prefix}${toBase64Url(content)}.${toBase64Url(hashOf(content).subarray(0, checkBytes))}`;
}

export class CardError extends Error {}

/** Throws a `CardError`. A letter that was lost in copying is noticed by the check at the end. */
export function readCard(text: string): ContactCard {
  const word = text.trim();
  const [content = '', check = ''] = word.slice(prefix.length).split('.');
  if (!word.startsWith(prefix)) throw new CardError(`A contact card is one word that begins with ${prefix}`);
  try {
    if (check === '') throw new CardError('The check at its end is missing.');
    const bytes = fromBase64Url(content);
    if (toBase64Url(hashOf(bytes).subarray(0, checkBytes)) !== check) throw new CardError('The check at its end does not fit.');
    return ContactCard.parse(JSON.parse(fromUtf8(bytes)));
  } catch (error) {
    throw new CardError('The contact card is damaged. Ask for it again, and copy it whole.', { cause: error });
  }
}

// A safety number lets two people compare their keys by voice: both see the same 60 digits, and no others do (A2C-4).

export const fingerprint = (holder: KeyHolder): string => fingerprintOf(holder, hashOf);

/** Twelve groups of five digits, the same for both. */
export const safetyNumber = (a: KeyHolder, b: KeyHolder): string => [fingerprint(a), fingerprint(b)].toSorted().join(' ');
