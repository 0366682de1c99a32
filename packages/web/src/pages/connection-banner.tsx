import { useEffect, useState } from 'react';
import { useSelect, useWorkspace } from '../state/context.ts';

/** A blink is not news: a connection that comes back within a second is not mentioned. */
const patienceMs = 900;

export function ConnectionBanner() {
  const away = useSelect((state) => state.connection !== 'live');
  return <output className="block shrink-0">{away && <Away />}</output>;
}

function Away() {
  const { retryConnection } = useWorkspace();
  const [shown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  if (!shown) return null;
  return (
    <div className="flex items-center justify-center gap-3 bg-notice-soft px-4 py-1.5 text-sm text-notice">
      <span>
        Reconnecting… <span className="max-sm:hidden">Your messages wait here and are sent when the hub is back.</span>
      </span>
      <button type="button" onClick={retryConnection} className="rounded font-medium underline underline-offset-2">
        Try now
      </button>
    </div>
  );
}
