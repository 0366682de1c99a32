// Links in a field of a space to something outside (A2C-33). A link is words of a peer: nothing follows it by itself.

import type { SpaceValue } from './space.ts';

export interface SpaceLink {
  name: string;
  uri: string;
  /** The tool server that its writer reads it with; a reader's own may be called otherwise. */
  server: string | null;
}

const mostLinks = 50;
const oneLine = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;
const text = (value: unknown, most: number): value is string => typeof value === 'string' && value.length <= most && oneLine.test(value);

/** `{name, uri, server}`, or a list of them as in `shared_files`. Entries that are none are left out. */
export function linksIn(value: SpaceValue | undefined): SpaceLink[] {
  const entries: (SpaceValue | undefined)[] = Array.isArray(value) ? value.slice(0, mostLinks) : [value];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { name, uri, server } = entry;
    if (!text(uri, 2000) || !/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)) return [];
    return [{ name: text(name, 200) ? name : uri, uri, server: text(server, 64) ? server : null }];
  });
}
