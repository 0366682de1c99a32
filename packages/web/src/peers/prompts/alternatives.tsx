import type { ProposalCard } from '@parley/protocol';

interface AlternativesProps {
  alternatives: ProposalCard['alternatives'];
  /** Whether the reasons are the other peer's words. */
  areQuoted?: boolean;
  onSuggest: (summary: string) => void;
}

/** Other times of a card; one tap suggests one of them. */
export function Alternatives({ alternatives, areQuoted = false, onSuggest }: AlternativesProps) {
  if (alternatives.length === 0) return null;
  return (
    <div className="mt-2.5">
      <p className="text-xs font-medium text-ink-3">Alternatives</p>
      <ul aria-label="Alternatives" className="mt-0.5 space-y-1 text-sm">
        {alternatives.map(({ summary, reason }) => (
          <li key={summary} className="[overflow-wrap:anywhere]">
            {summary}
            {reason !== null && <span className="text-ink-2"> · {areQuoted ? `“${reason}”` : reason}</span>}{' '}
            <button
              type="button"
              onClick={() => onSuggest(summary)}
              aria-label={`Suggest this: ${summary}`}
              className="min-h-6 rounded font-medium text-accent-ink hover:underline"
            >
              Suggest this
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
