import { Select } from '../../ui/select.tsx';

export interface GroupChoice {
  /** Null: everybody has to confirm. */
  quorum: number | null;
  inOrder: boolean;
  /** In minutes; how long others have before a quorum goes on without them. */
  answersWithin: number;
}

const times: readonly (readonly [number, string])[] = [
  [60, '1 hour'],
  [12 * 60, '12 hours'],
  [24 * 60, '1 day'],
  [3 * 24 * 60, '3 days'],
];

/** How a group agrees (A2C-27). `size`: with oneself. */
export function ArrangeGroup({ size, choice, onChange }: { size: number; choice: GroupChoice; onChange: (choice: GroupChoice) => void }) {
  const counts = Array.from({ length: size - 2 }, (_, at) => size - 1 - at);
  const quorum = choice.quorum !== null && choice.quorum < size ? choice.quorum : null;
  return (
    <>
      <Select
        label="Who has to confirm"
        value={String(quorum ?? '')}
        onChange={(value) => onChange({ ...choice, quorum: value === '' ? null : Number(value) })}
      >
        <option value="">All {size}, you included</option>
        {counts.map((count) => (
          <option key={count} value={count}>
            At least {count} of {size}, you included
          </option>
        ))}
      </Select>
      {quorum !== null && (
        <Select
          label="Go on without silent people after"
          value={String(choice.answersWithin)}
          onChange={(value) => onChange({ ...choice, answersWithin: Number(value) })}
        >
          {times.map(([minutes, text]) => (
            <option key={minutes} value={minutes}>
              {text}
            </option>
          ))}
        </Select>
      )}
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={choice.inOrder}
          onChange={(event) => onChange({ ...choice, inOrder: event.target.checked })}
        />
        Ask for confirmation one after the other, in this order
      </label>
    </>
  );
}
