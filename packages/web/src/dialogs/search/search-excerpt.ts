/** The words looked for: letters and digits only, so that none of them means anything to a pattern. */
export const wordsOf = (query: string): string[] => query.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** Begins shortly before the first word that was looked for, at the beginning of a word, so that it is in view. */
export function excerpt(body: string, query: string, before = 40, length = 240): string {
  const text = body.replaceAll(/\s+/g, ' ');
  const lower = text.toLowerCase();
  const hits = wordsOf(query).map((word) => lower.indexOf(word));
  const first = Math.min(...hits.filter((at) => at >= 0));
  const word = text.indexOf(' ', first - before) + 1;
  const start = !Number.isFinite(first) || first <= before ? 0 : word > 0 && word <= first ? word : first - before;
  return `${start > 0 ? '…' : ''}${text.slice(start, start + length)}`;
}
