// How much one answer holds. A page that is bounded by rows alone can be megabytes of text, and everybody else waits
// while the hub reads and writes it.

/** Bytes of text on one page. At 100 KB, the longest message, a page still holds three. */
export const maxPageBytes = 256 * 1024;

/** How many of these, in order, fit one page: at least the first, so that a reader always gets on. */
export function countFitting(sizes: readonly number[], most = maxPageBytes): number {
  let sum = 0;
  for (const [i, size] of sizes.entries()) {
    sum += size;
    if (sum > most) return Math.max(1, i);
  }
  return sizes.length;
}
