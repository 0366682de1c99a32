import type { Checkpoint } from '@parley/protocol';
import { useMemo, useState } from 'react';

export interface KeptCheckpoint {
  id: string;
  checkpoint: Checkpoint;
  /** An answered checkpoint stays in its place for as long as one looks, so that nothing else comes to lie under the pointer. */
  open: boolean;
}

/** All that has waited since the dialog was opened, in its order. */
export function useKeptCheckpoints(waiting: Readonly<Record<string, Checkpoint>>): KeptCheckpoint[] {
  const [seen, setSeen] = useState(waiting);
  // Only ever grows: a newer version of an open checkpoint takes the place of the older one.
  const fresh = Object.values(waiting).some((one) => seen[one.id] !== one);
  if (fresh) setSeen({ ...seen, ...waiting });
  return useMemo(
    () =>
      Object.values(seen)
        .sort((a, b) => a.seq - b.seq)
        .map((checkpoint) => ({ id: checkpoint.id, checkpoint, open: waiting[checkpoint.id] !== undefined })),
    [seen, waiting],
  );
}
