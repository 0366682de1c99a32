// Links in a field of a space to something outside (A2C-33). A link is text of a peer, so nothing opens it unless a person asks.

import type { SpaceValue } from './space.ts';

export interface SpaceLink {
  name: string;
  uri: string;
  /** The tool server that its writer reads it with. A reader may have given the same server another name. */
  server: string | null;
}

const mostLinks = 50;
const linePattern = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;
const isLine = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most && linePattern.test(value);

/** `{name, uri, server}`, or a list of them as in `shared_files`. Entries of another form are dropped. */
export function linksIn(value: SpaceValue | undefined): SpaceLink[] {
  const entries: (SpaceValue | undefined)[] = Array.isArray(value) ? value.slice(0, mostLinks) : [value];
  return entries.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null || Array.isArray(entry)) return [];
    const { name, uri, server } = entry;
    if (!isLine(uri, 2000) || !/^[a-z][a-z0-9+.-]*:\S+$/i.test(uri)) return [];
    return [{ name: isLine(name, 200) ? name : uri, uri, server: isLine(server, 64) ? server : null }];
  });
}
