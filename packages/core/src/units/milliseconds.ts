// Seconds as people write them, with fractions; times are whole milliseconds, in every row there is.

/** Never sooner than the given time: the part that multiplying adds (1.1 * 1000 is more than 1100) is rounded off first. */
export const msOf = (seconds: number): number => Math.ceil(Math.round(seconds * 1_000_000) / 1000);
