import type { Preview } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../state/context.ts';

const pauseMs = 600;

export interface DryRunState {
  mayChange: Preview['mayChange'];
  /** Agents that take no requests from us. */
  refusing: string[];
}
const unknown: DryRunState = { mayChange: [], refusing: [] };
const refusals = new Set<string>(['not_taken', 'author_blocked']);

const dryRunOf = ({ mayChange, agents }: Preview): DryRunState => ({
  mayChange,
  refusing: agents.filter(({ reason }) => refusals.has(reason)).map(({ agentId }) => agentId),
});

/** What only the hub knows of the agents a text would wake; asked for when its writer pauses. */
export function useDryRun(conversationId: string | null, text: string, urgent: boolean, wakes: boolean): DryRunState {
  const { client } = useWorkspace();
  const [known, setKnown] = useState<{ text: string; found: DryRunState }>({ text: '', found: unknown });
  useEffect(() => {
    if (!wakes || conversationId === null) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      // Without it the line under the composer says what the page knows by itself.
      client
        .call('previewMessage', { params: { conversationId }, body: { body: text, ...(urgent ? { urgent } : {}) } })
        .then((found) => (over ? undefined : setKnown({ text, found: dryRunOf(found) })))
        .catch(() => undefined);
    }, pauseMs);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [client, conversationId, text, urgent, wakes]);
  return wakes && known.text === text ? known.found : unknown;
}
