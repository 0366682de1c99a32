const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const fullTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'short' });
const weekday = new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric' });
const otherYear = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' });
const shortDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

export const timeOfDay = (at: number): string => clockTime.format(at);
export const fullDate = (at: number): string => fullTime.format(at);

/** Days begin at local midnight, also where a day has 23 or 25 hours. */
export function startOfDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** Days since 1970-01-01, as the calendar here counts them. */
export function localDay(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000;
}

export function dayLabel(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return new Date(at).getFullYear() === new Date(now).getFullYear() ? weekday.format(at) : otherYear.format(at);
}

export function shortTime(at: number, now: number): string {
  return startOfDay(at) === startOfDay(now) ? timeOfDay(at) : shortDay.format(at);
}

/** To the minute, on whichever day. */
export function momentOf(at: number, now: number): string {
  return startOfDay(at) === startOfDay(now) ? timeOfDay(at) : `${shortDay.format(at)}, ${timeOfDay(at)}`;
}

export function tomorrowAt(hour: number, now: number): number {
  const date = new Date(now);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + 1, hour).getTime();
}

/** As a field for date and time takes it: local, to the minute. */
export function localInput(at: number): string {
  const pad = (n: number) => String(n).padStart(2, '0');
  const date = new Date(at);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}T${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

export function fileSize(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
