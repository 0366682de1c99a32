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
