// The one text of a JSON value (RFC 8785), for everything that is signed or hashed. Numbers are integers here, so that no language
// has to agree with another about fractions.

export type CanonicalValue = string | number | boolean | null | readonly CanonicalValue[] | { readonly [key: string]: CanonicalValue };

/** Throws on numbers that are not safe integers and on half characters. */
export function canonicalJson(value: CanonicalValue): string {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('a text holds half a surrogate pair');
    return JSON.stringify(value);
  }
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new Error(`${value} is not a whole number below 2^53`);
    return String(Object.is(value, -0) ? 0 : value);
  }
  if (typeof value !== 'object' || value === null) return String(value);
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${canonicalJson(key)}:${canonicalJson(value[key]!)}`);
  return `{${members.join(',')}}`;
}

const isList = (value: object): value is readonly CanonicalValue[] => Array.isArray(value);
