// Reads how long a meeting should be, in a person's words: `for 2h`, `for 90 minutes`, `a 30-minute call`.

const hours = 'hours?|hrs?|h';
const minutes = 'minutes?|mins?|m';
const unit = `(?:(${hours})|${minutes})`;
const amount = String.raw`(\d{1,3}(?:[.,:]\d{1,2})?|1\/2|half an|an?|one|two|three|four)`;
/** The minutes in `1h30`, `1 hour and 15 minutes` and `an hour and a half`. */
const addedMinutes = String.raw`(?:(\d\d)(?:${minutes})?|(?:\s+and)?\s*(\d{1,2})\s*(?:${minutes})|\s+and\s+(a)\s+half)?`;
/** `2 hours` needs `for`, because `in 2 hours` names a start. */
const forms = [
  String.raw`for\s+(?:about\s+|around\s+)?${amount}\s*${unit}${addedMinutes}(?![\p{L}\d:])`,
  String.raw`(?:an?\s+)?(\d{1,3}|half|one|two|three|four)-${unit}(?![\p{L}\d])`,
  String.raw`an?\s+(\d{1,3})\s+${unit}(?=\s+\p{L})`,
].map((form) => new RegExp(String.raw`(?<![\p{L}\d])${form}`, 'iu'));

const numberWords: Record<string, number> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, half: 0.5, 'half an': 0.5, '1/2': 0.5 };
const [shortestMinutes, longestMinutes, quarter] = [15, 720, 15];

/** The length in whole quarters of an hour, as in calendars. Undefined if the text names no length, or none that a meeting can have. */
export function minutesIn(said: string): number | undefined {
  const [, number, inHours, ...added] = matchIn(said) ?? [];
  if (number === undefined) return undefined;
  const [whole = '', sixtieths] = number.split(':');
  const value = numberWords[number.toLowerCase()] ?? Number(whole.replace(',', '.')) + Number(sixtieths ?? 0) / 60;
  const addedLength = added[2] === undefined ? Number(added[0] ?? added[1] ?? 0) : 30;
  const length = Math.ceil((value * (inHours ? 60 : 1) + addedLength) / quarter) * quarter;
  return length >= shortestMinutes && length <= longestMinutes ? length : undefined;
}

const matchIn = (said: string): RegExpExecArray | undefined => forms.map((form) => form.exec(said)).find((match) => match !== null);

/** Removes the length, so that nobody reads its numbers as times or dates. */
export function withoutLength(said: string): string {
  const match = matchIn(said);
  return match ? `${said.slice(0, match.index)}${said.slice(match.index + match[0].length)}`.replaceAll(/ {2,}/g, ' ').trim() : said;
}

/** Writes a length such as `1 hour 30 minutes`. */
export function lengthWords(length: number): string {
  const parts = [
    { count: Math.floor(length / 60), name: 'hour' },
    { count: length % 60, name: 'minute' },
  ];
  return parts.flatMap(({ count, name }) => (count === 0 ? [] : [`${count} ${name}${count === 1 ? '' : 's'}`])).join(' ');
}
