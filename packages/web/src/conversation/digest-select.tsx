import type { Member } from '@parley/protocol';

const minute = 60_000;
const choices = [
  [5 * minute, 'every 5 minutes'],
  [15 * minute, 'every 15 minutes'],
  [60 * minute, 'every hour'],
  [4 * 60 * minute, 'every 4 hours'],
  [24 * 60 * minute, 'every day'],
  [7 * 24 * 60 * minute, 'every week'],
] as const;

interface Props {
  agent: Member;
  everyMs: number | null;
  disabled: boolean;
  onChange: (everyMs: number | null) => void;
}

/** How often an agent gets a digest of this conversation. */
export function DigestSelect({ agent, everyMs, disabled, onChange }: Props) {
  const known = everyMs === null || choices.some(([ms]) => ms === everyMs);
  return (
    <select
      aria-label={`Digest for ^${agent.handle}`}
      title="How often it gets a digest of this conversation"
      className="mr-1 min-h-7 max-w-24 shrink-0 truncate rounded-md border border-line bg-transparent px-1.5 text-[13px] text-ink-2"
      disabled={disabled}
      value={everyMs ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? null : Number(target.value))}
    >
      <option value="">no digest</option>
      {choices.map(([ms, words]) => (
        <option key={ms} value={ms}>
          {words}
        </option>
      ))}
      {!known && <option value={everyMs}>{`every ${Math.round(everyMs / minute)} min`}</option>}
    </select>
  );
}
