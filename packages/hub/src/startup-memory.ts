// Loading leaves garbage behind, and room that grew for it: some 25 MB that V8 would give back only after a while of
// quiet. A hub that has just come up has that quiet.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

export function releaseAfterStart(): void {
  // An engine without it keeps the room a while longer. Set only for this call: code that is loaded under other flags is not found in the compile cache.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext("typeof gc === 'function' ? gc : undefined") as Collect | undefined;
  setFlagsFromString('--no-expose-gc');
  collect?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
