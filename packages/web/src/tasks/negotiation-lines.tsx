import { negotiationStateText } from '@parley/core';
import type { NegotiationInChain } from '@parley/protocol';
import { followLink, negotiationPath } from '../lib/router.ts';
import { NegotiationMark } from '../peers/negotiations/negotiation-mark.tsx';

/** Negotiations that a task of the chain waits for. Only their own person sees the state, and can open one. */
export function NegotiationLines({ negotiations }: { negotiations: readonly NegotiationInChain[] }) {
  return negotiations.map(({ threadId, taskId, state, open, createdAt }) => (
    <p key={threadId ?? `${taskId} ${createdAt}`} className="mt-1 flex items-center gap-1.5 text-sm text-ink-2">
      <NegotiationMark state={state ?? (open ? 'NEGOTIATING' : 'COMPLETED')} waitsForMe={false} />
      {threadId === null ? (
        <span>{open ? 'Negotiation under way' : 'Negotiation ended'}</span>
      ) : (
        <a href={negotiationPath(threadId)} onClick={followLink} className="rounded text-accent-ink hover:underline">
          Your peer’s negotiation: {negotiationStateText(state ?? '')}
        </a>
      )}
    </p>
  ));
}
