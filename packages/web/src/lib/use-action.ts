import { useRef, useState } from 'react';
import { errorText } from './error-text.ts';

/** One thing done at a time, with what to show while it runs and when it fails. */
export function useAction<A extends unknown[]>(run: (...args: A) => Promise<void>) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const running = useRef(false);
  const go = async (args: A) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    setError(null);
    try {
      await run(...args);
    } catch (failure) {
      setError(errorText(failure));
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  return { act: (...args: A) => void go(args), busy, error };
}
