export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs one round after the other and gives the median of each figure over all of them. */
export async function medians<T extends Record<string, number>>(rounds: number, measure: () => Promise<T>): Promise<T> {
  const measured: T[] = [];
  for (let i = 0; i < rounds; i++) measured.push(await measure());
  return Object.fromEntries(Object.keys(measured[0]!).map((name) => [name, median(measured.map((one) => one[name]!))])) as T;
}

/** Three digits that count: more would claim a precision that a shared machine does not have. */
export const round = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString());
export const ms = (value: number): string => `${round(value)} ms`;
export const mb = (bytes: number): string => `${round(bytes / 1e6)} MB`;
export const percent = (share: number): string => `${round(share * 100)} %`;
export const times = (ratio: number): string => `${round(ratio)} ×`;
export const perSecond = (rate: number): string => `${Math.round(rate).toLocaleString('en')}/s`;
