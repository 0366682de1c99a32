// Directory entries that another relay sends. Peers verify them once more; here a relay that invents one is found and named.

import { canonicalJson, DirectoryStatement, fromBase64Url, statementToSign } from '@parley/protocol/relay';
import { publicKey, verifies } from '../signatures.ts';
import type { SignedEntry } from '../store/port.ts';

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
