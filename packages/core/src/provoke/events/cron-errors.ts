// Explains why a cron text was refused: which of its five fields is wrong, and what may stand there. The library counts
// months and days from nought in its messages.

const fields = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: 'JAN to DEC' },
  { name: 'weekday', from: 0, to: 7, names: 'SUN to SAT' },
] as const;
type Field = (typeof fields)[number];

/** Values that are no number: the names, the last day, the nearest weekday and the like. */
const others: Partial<Record<Field['name'], RegExp>> = {
  day: /^(?:L|LW|\d{1,2}W)$/i,
  month: /^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)$/i,
  weekday: /^(?:[0-7]|sun|mon|tue|wed|thu|fri|sat)(?:L|#[1-5L])?$/i,
};

const form = 'minute hour day month weekday, as in 30 7 * * 1-5';

export function cronWords(text: string): string {
  const parts = text.trim().split(/\s+/);
  if (text.trim().startsWith('@')) return 'must be @hourly, @daily, @weekly, @monthly, @yearly, or five cron fields';
  if (parts.length !== 5) return `must be five cron fields and not ${text.trim() === '' ? 'none' : parts.length}: ${form}`;
  // Where all are wrong, it is no cron.
  const wrong = parts.flatMap((part, i) => wrongIn(part, fields[i]!) ?? []);
  return wrong.length === 0 || wrong.length > 3 ? `must be five cron fields: ${form}` : wrong.join('; ');
}

function wrongIn(part: string, field: Field): string | undefined {
  for (const one of part.split(',')) {
    const [range = '', step, ...surplus] = one.split('/');
    const ends = range === '*' ? [] : range.split('-');
    if (surplus.length > 0 || (step !== undefined && !/^[1-9]\d*$/.test(step)))
      return `${field.name}: after / must stand a number, as in */5`;
    const most = field.to - field.from + 1;
    if (step !== undefined && Number(step) > most) return `${field.name}: the step must be at most ${most}, not ${step.slice(0, 20)}`;
    if (step !== undefined && range === '') return `${field.name}: before / must stand * or a range, as in */${step}`;
    const bad = ends.find((end) => !fits(end, field));
    if (bad !== undefined || ends.length > 2)
      return `${field.name} must be ${mayBe(field)}, not ${(bad ?? range).slice(0, 20) || 'nothing'}`;
    const [low, high] = ends.map(Number);
    if (low !== undefined && high !== undefined && low > high)
      return `${field.name}: ${range} goes backwards; write ${high}-${low}, or ${low}-${field.to},${field.from}-${high}`;
  }
  return undefined;
}

const fits = (end: string, field: Field): boolean => {
  if (others[field.name]?.test(end)) return true;
  return /^\d{1,2}$/.test(end) && Number(end) >= field.from && Number(end) <= field.to;
};

const mayBe = (field: Field): string => `${field.from} to ${field.to}${'names' in field ? ` or ${field.names}` : ''}`;
