// A time as a person reads it. In UTC, which is said: who reads it, and where they are, is not known here.

// prettier-ignore
const months = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

const two = (n: number): string => String(n).padStart(2, '0');

/** `11 March 2026, 06:00 UTC`; seconds where there are any, and nothing finer. */
export function timeText(at: number): string {
  const time = new Date(at);
  const [hours, minutes, seconds] = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()];
  const clock = [hours, minutes, ...(seconds === 0 ? [] : [seconds])].map(two).join(':');
  return `${time.getUTCDate()} ${months[time.getUTCMonth()]} ${time.getUTCFullYear()}, ${clock} UTC`;
}

const stamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i;

/** As somebody else wrote it: what is no time stays what it is. */
export function stampText(text: string): string {
  const at = stamp.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? text : timeText(at);
}

/** `29:58`, or `3 h 5 min` when it is long. */
export function spanText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h${minutes % 60 > 0 ? ` ${minutes % 60} min` : ''}`;
  return `${minutes}:${two(seconds % 60)}`;
}

// Seconds as people write them, with fractions; times are whole milliseconds, in every row there is.

/** Never sooner than the given time: the part that multiplying adds (1.1 * 1000 is more than 1100) is rounded off first. */
export const msOf = (seconds: number): number => Math.ceil(Math.round(seconds * 1_000_000) / 1000);
