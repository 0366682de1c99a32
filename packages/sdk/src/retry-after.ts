/** `retry-after` in whole seconds; the date form is not used by the hub. */
export function retryAfterMs(header: string | null): number | undefined {
  if (header === null || !/^\d{1,6}$/.test(header.trim())) return undefined;
  return Number(header) * 1000;
}
