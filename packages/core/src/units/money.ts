// Money is kept in millionths of a US dollar, as models are priced.

/** `$0.42`; with four digits where two would show nothing. */
export function asMoney(micros: number): string {
  const dollars = micros / 1e6;
  if (micros > 0 && dollars < 0.0001) return 'under $0.0001';
  return `$${dollars.toFixed(micros > 0 && dollars < 0.01 ? 4 : 2)}`;
}
