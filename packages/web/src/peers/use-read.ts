import { type Client, ConnectionError, ParleyError } from '@parley/sdk';
import { useCallback, useEffect, useMemo, useState } from 'react';

import { errorText } from '../lib/error-text.ts';
import { useSelect, useWorkspace } from '../state/context.ts';

export interface Read<T> {
  /** Undefined until it is here. What was read before stays while it is read again, and when that fails. */
  data: T | undefined;
  error: string | null;
  reload: () => void;
  /** After a change whose answer is the whole again. */
  replace: (data: T) => void;
}

export const retryMs = 3_000;
const mayPass = (error: unknown): boolean => (error instanceof ParleyError || error instanceof ConnectionError) && error.shouldRetry();

/**
 * Reads something of one's own peer, and again when a fact says that it moved or the connection is back. No fact carries its words.
 * `load` stays the same function; `key` tells two things of one kind apart.
 */
export function useRead<T>(load: (client: Client, key: string) => Promise<T>, key = ''): Read<T> {
  const { client } = useWorkspace();
  const moves = useSelect((state) => state.peerMoves);
  const live = useSelect((state) => state.connection === 'live');
  const [round, setRound] = useState(0);
  const [result, setResult] = useState<{ key: string; data: T | undefined; error: string | null }>({ key, data: undefined, error: null });
  const asked = useMemo(() => ({ key, moves, live, round }), [key, moves, live, round]);
  useEffect(() => {
    let left = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    load(client, asked.key).then(
      (data) => !left && setResult({ key: asked.key, data, error: null }),
      (failure: unknown) => {
        if (left) return;
        setResult((before) => ({
          key: asked.key,
          data: before.key === asked.key ? before.data : undefined,
          error: errorText(failure),
        }));
        // After a restart the peers start when the hub is already there.
        if (mayPass(failure)) timer = setTimeout(() => setRound((before) => before + 1), retryMs);
      },
    );
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [client, load, asked]);
  const reload = useCallback(() => setRound((before) => before + 1), []);
  const replace = useCallback((data: T) => setResult({ key, data, error: null }), [key]);
  const isHere = result.key === key;
  return { data: isHere ? result.data : undefined, error: isHere ? result.error : null, reload, replace };
}
