// The arguments of a call as names and values, where they are flat.

export interface FlatArguments {
  /** The lines before them. */
  before: string;
  /** Values as JSON: a text keeps its quotation marks, and no line break makes a line of its own. */
  pairs: readonly (readonly [name: string, value: string])[];
}

const prefix = 'Arguments: ';
const isPlainName = (name: string): boolean => /^[\w.-]{1,60}$/.test(name);
const isFlat = (value: unknown): boolean => value === null || typeof value !== 'object';

/** Null: they are nested, cut, or hold what has to be written out; then all of it is shown as it came. */
export function flatArguments(lines: string): FlatArguments | null {
  const at = lines.startsWith(prefix) ? 0 : lines.indexOf(`\n${prefix}`) + 1;
  if (!lines.startsWith(prefix, at)) return null;
  try {
    const input = JSON.parse(lines.slice(at + prefix.length)) as unknown;
    if (isFlat(input) || Array.isArray(input)) return null;
    const entries = Object.entries(input as object);
    if (entries.length === 0 || !entries.every(([name, value]) => isPlainName(name) && isFlat(value))) return null;
    return { before: lines.slice(0, at).trimEnd(), pairs: entries.map(([name, value]) => [name, JSON.stringify(value)]) };
  } catch {
    return null;
  }
}
