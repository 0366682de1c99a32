// A value of a person's field has to fit into a packet. It is refused where the person gives it: later nobody could say which field was too large.

import type { FreeFields } from '@parley/protocol/relay';
import { PeerError } from '../packets/errors.ts';

const mostBytes = 8192;
const mostLevels = 16;

export function mustFitPackets(field: string, value: FreeFields[string]): void {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  if (bytes > mostBytes) throw new PeerError('bad_input', `${field}: a value has at most ${mostBytes} bytes, and this one has ${bytes}.`);
  if (levelsOf(value) > mostLevels) throw new PeerError('bad_input', `${field}: a value nests at most ${mostLevels} levels deep.`);
}

const levelsOf = (value: FreeFields[string]): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0;
