import type { Preview } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { useWorkspace } from '../state/context.ts';

const pauseMs = 600;
const unknown: Preview['mayChange'] = [];

/** What only the hub knows of the agents a text would wake; asked for when its writer pauses. */
export function useDryRun(conversationId: string | null, text: string, urgent: boolean, wakes: boolean): Preview['mayChange'] {
  const { client } = useWorkspace();
  const [known, setKnown] = useState<{ text: string; mayChange: Preview['mayChange'] }>({ text: '', mayChange: unknown });
  useEffect(() => {
    if (!wakes || conversationId === null) return undefined;
    let over = false;
    const timer = setTimeout(() => {
      // Without it the line under the composer says what the page knows by itself.
      client
        .call('previewMessage', { params: { conversationId }, body: { body: text, ...(urgent ? { urgent } : {}) } })
        .then(({ mayChange }) => (over ? undefined : setKnown({ text, mayChange })))
        .catch(() => undefined);
    }, pauseMs);
    return () => {
      over = true;
      clearTimeout(timer);
    };
  }, [client, conversationId, text, urgent, wakes]);
  return wakes && known.text === text ? known.mayChange : unknown;
}
