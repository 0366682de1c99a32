// Problems of a line to another relay, and false directory entries from it.

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

/** The other relay made a false statement about itself or an address. */
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

/** One short line of another relay's text, to show to people. */
export const plainWords = (text: string): string => toOneLine(text).slice(0, 300);

/**
 * Undefined if the entry is about this address, and signed by the key that it names. Peers verify entries too; the check
 * here names the relay that invented one.
 */
export function falsehoodIn({ statement: text, signature }: SignedEntry, address: string): string | undefined {
  const statement = messageIn(DirectoryStatement, text);
  if (statement && statement.address !== address) return `asked for ${address}, it sent the directory entry of ${statement.address}`;
  const isTheirs = statement && canonicalJson(statement) === text && isSigned(statement.key, statementToSign('directory', text), signature);
  return isTheirs ? undefined : `it sent a directory entry that ${address} has not signed`;
}
