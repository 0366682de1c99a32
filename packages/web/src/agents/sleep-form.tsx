import { useId, useState } from 'react';
import { localInput } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  until: number | null;
  busy: boolean;
  error: string | null;
  /** Null: it is awake. */
  onSet: (until: number | null) => void;
}

/** Until when an agent sleeps: what it is given meanwhile waits, and who asks it outright wakes it. */
export function SleepForm({ until, busy, error, onSet }: Props) {
  const id = useId();
  const now = useNow();
  const asleep = until !== null && until > now;
  const [at, setAt] = useState(() => (asleep ? localInput(until) : ''));
  const chosen = at === '' ? Number.NaN : new Date(at).getTime();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        Sleeping until
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id={id}
          type="datetime-local"
          className="field w-auto flex-1"
          value={at}
          min={localInput(now)}
          onChange={(event) => setAt(event.target.value)}
        />
        <Button disabled={busy || !(chosen > now)} onClick={() => onSet(chosen)}>
          Set
        </Button>
        {asleep && (
          <Button disabled={busy} onClick={() => onSet(null)}>
            Wake it
          </Button>
        )}
      </div>
      <div className="mt-2">
        <Problem text={error} />
      </div>
    </div>
  );
}
