import { fieldRows, fieldText } from './field-words.ts';

type Value = Parameters<typeof fieldText>[1];

/** A long value in full, where its short words leave something out. */
export function WholeValue({ field, value }: { field: string; value: Value }) {
  const rows = fieldRows(field, value);
  if ([', ', '; '].some((between) => rows.join(between) === fieldText(field, value))) return null;
  return (
    <details className="mt-1 text-sm">
      <summary className="cursor-pointer text-ink-2">Show all of it</summary>
      <ul className="mt-1 list-disc space-y-0.5 pl-5">
        {rows.map((row, n) => (
          // Two entries may have the same words, and the list does not change.
          // oxlint-disable-next-line react/no-array-index-key
          <li key={n} className="[overflow-wrap:anywhere]">
            {row}
          </li>
        ))}
      </ul>
    </details>
  );
}
