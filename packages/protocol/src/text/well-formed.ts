// Half a surrogate pair cannot be stored as it is, so it would come back as another text. In JSON an escape is the only way in.

const escaped = /\\u[dD][89a-fA-F]/;

function wellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && wellFormed(inner));
}

/** Throws where it is no JSON, or holds half a character in a text or in a name. */
export function wholeJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (escaped.test(text) && !wellFormed(value)) throw new Error('it holds half a surrogate pair');
  return value;
}

const token = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const mostExact = 2n ** 53n;

/**
 * Integers above 2^53 in a JSON text, each at its place in the value: reading rounds them, and a filter would compare another
 * number than the one that was sent.
 */
export function roundedIn(text: string, value: unknown): { field: string; message: string }[] {
  if (!/\d{16}/.test(text)) return [];
  const written = new Map<number, string>();
  for (const [found] of text.matchAll(token)) {
    if (!/^-?\d{16,}$/.test(found)) continue;
    const exact = BigInt(found);
    if (exact > mostExact || exact < -mostExact) written.set(Number(found), found);
  }
  const problems: { field: string; message: string }[] = [];
  const open: { value: unknown; at: string }[] = written.size === 0 ? [] : [{ value, at: '' }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const found = typeof one.value === 'number' ? written.get(one.value) : undefined;
    if (found !== undefined)
      problems.push({ field: one.at || '(body)', message: `must be at most 2^53, or a text: ${found.slice(0, 40)}` });
    if (typeof one.value !== 'object' || one.value === null) continue;
    for (const [key, inner] of Object.entries(one.value)) open.push({ value: inner, at: one.at === '' ? key : `${one.at}.${key}` });
  }
  return problems;
}
