// Ids that move between files: all that changed is looked at together, so that what one file gives up another may take, in
// whatever order they are read. Each is still taken whole or not at all: what stays as it was keeps its ids.

export interface FileClaim {
  file: string;
  /** The IDs in the file, in order. */
  ids: readonly string[];
  /** Nothing else is wrong with it. */
  whole: boolean;
}

export interface Clash {
  /** Which of its ids. */
  at: number;
  /** The file that has it; null: it is kept over the API. */
  by: string | null;
}

/** The files that cannot be taken as they are because of ids that others have. `heldBy`: where one stands now; undefined: nowhere. */
export function clashes(files: readonly FileClaim[], heldBy: (id: string) => string | null | undefined): Map<string, Clash[]> {
  const refused = new Map<string, Clash[]>();
  for (;;) {
    const taken = files.filter(({ file, whole }) => whole && !refused.has(file));
    const free = new Set(taken.map(({ file }) => file));
    const holders = new Map<string, string>();
    // The file that holds an id and keeps it comes before one that wants it; then the first.
    for (const { file, ids } of taken) for (const id of ids) if (heldBy(id) === file) holders.set(id, file);
    for (const { file, ids } of taken) for (const id of ids) if (!holders.has(id)) holders.set(id, file);
    const before = refused.size;
    for (const { file, ids } of files) {
      if (refused.has(file)) continue;
      const found = ids.flatMap((id, at): Clash[] => {
        const held = heldBy(id);
        if (held === file) return [];
        const by = held === undefined || (held !== null && free.has(held)) ? (holders.get(id) ?? file) : held;
        return by === file ? [] : [{ at, by }];
      });
      if (found.length > 0) refused.set(file, found);
    }
    // One that is refused keeps what it had: that may be what another was to take.
    if (refused.size === before) return refused;
  }
}
