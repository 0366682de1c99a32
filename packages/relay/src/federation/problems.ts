// Why a line to another relay does not work.

import { toOneLine } from '@parley/protocol';
import { canonicalJson, DirectoryStatement, fromBase64Url, statementToSign } from '@parley/protocol/relay';
import { publicKey, verifies } from '../signatures.ts';
import type { SignedEntry } from '../store/port.ts';

export class RelayUnreachable extends Error {
  readonly relay: string;

  constructor(relay: string, why: string) {
    super(`The relay ${relay} cannot be reached: ${why}.`);
    this.relay = relay;
  }
}

/** It says something false about itself or about somebody. */
export class RelayLies extends Error {
  readonly relay: string;

  constructor(relay: string, what: string) {
    super(`The relay ${relay} is not trusted: ${what}.`);
    this.relay = relay;
  }
}

export class RelayKeyChanged extends Error {
  readonly relay: string;

  constructor(relay: string) {
    super(`The relay ${relay} shows another key than before. Its line is stopped until the operator accepts the key.`);
    this.relay = relay;
  }
}

/** Texts of other relays are shown to people: one line, of a length that fits. */
export const plainWords = (text: string): string => toOneLine(text).slice(0, 300);

// Directory entries that another relay sends. Peers verify them once more; here a relay that invents one is found and named.

/** Undefined: the entry is about this address, and signed by the key that it names. */
export function falsehoodIn({ statement: text, signature }: SignedEntry, address: string): string | undefined {
  const unsigned = `it sent a directory entry that ${address} has not signed`;
  try {
    const statement = DirectoryStatement.parse(JSON.parse(text));
    if (statement.address !== address) return `asked for ${address}, it sent the directory entry of ${statement.address}`;
    const isSigned = verifies(publicKey(statement.key), statementToSign('directory', text), fromBase64Url(signature));
    return isSigned && canonicalJson(statement) === text ? undefined : unsigned;
  } catch {
    return unsigned;
  }
}
