import { negotiationStateText } from '@parley/core';
import type { WholeNegotiation } from '@parley/protocol';
import { followLink, negotiationPath } from '../../lib/router.ts';

const relations = { parent: 'Split off from', fork: 'Split into', sibling: 'Beside' } as const;

/** What it was split off from, and what was split off: each goes its own way. */
export function Family({ family }: Pick<WholeNegotiation, 'family'>) {
  if (family.length === 0) return null;
  return (
    <ul aria-label="Related negotiations" className="mt-2 space-y-1 text-sm">
      {family.map(({ relation, threadId, title, state }) => (
        <li key={threadId} className="[overflow-wrap:anywhere]">
          <span className="text-ink-2">{relations[relation]} </span>
          <a href={negotiationPath(threadId)} onClick={followLink} className="rounded text-accent-ink underline underline-offset-2">
            {title}
          </a>
          <span className="text-ink-2">
            {' '}
            · {negotiationStateText(state)}
            {relation === 'parent' && '. Answers given there count here too.'}
          </span>
        </li>
      ))}
    </ul>
  );
}
