// Why a line to another relay does not work.

import { toOneLine } from '@parley/protocol';
import { canonicalJson, DirectoryStatement, statementToSign } from '@parley/protocol/relay';
import { isSigned } from '../signatures.ts';
import { messageIn } from '../socket-messages.ts';
import type { SignedEntry } from '../store/port.ts';

export class RelayUnreachable extends Error {
  constructor(relay: string, why: string) {
    super(`The relay ${relay} cannot be reached: ${why}.`);
  }
}

/** It says something false about itself or about somebody. */
export class RelayLies extends Error {
  constructor(relay: string, what: string) {
    super(`The relay ${relay} is not trusted: ${what}.`);
  }
}

export class RelayKeyChanged extends Error {
  constructor(relay: string) {
    super(`The relay ${relay} shows another key than before. Its line is stopped until the operator accepts the key.`);
  }
}

/** Texts of other relays are shown to people: one line, of a length that fits. */
export const plainWords = (text: string): string => toOneLine(text).slice(0, 300);

// Directory entries that another relay sends. Peers verify them once more; here a relay that invents one is found and named.

/** Undefined: the entry is about this address, and signed by the key that it names. */
export function falsehoodIn({ statement: text, signature }: SignedEntry, address: string): string | undefined {
  const statement = messageIn(DirectoryStatement, text);
  if (statement && statement.address !== address) return `asked for ${address}, it sent the directory entry of ${statement.address}`;
  const isTheirs = statement && canonicalJson(statement) === text && isSigned(statement.key, statementToSign('directory', text), signature);
  return isTheirs ? undefined : `it sent a directory entry that ${address} has not signed`;
}
