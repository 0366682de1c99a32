import { useId, useState } from 'react';
import { localInput } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  until: number | null;
  busy: boolean;
  error: string | null;
  /** Null wakes the agent. */
  onSet: (until: number | null) => void;
}

/** Sets until when an agent sleeps. Its messages wait meanwhile, and a direct request wakes it. */
export function SleepForm({ until, busy, error, onSet }: Props) {
  const id = useId();
  const now = useNow();
  const isAsleep = until !== null && until > now;
  const [typed, setTyped] = useState(() => (isAsleep ? localInput(until) : ''));
  const chosen = typed === '' ? null : new Date(typed).getTime();
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
          value={typed}
          min={localInput(now)}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button disabled={busy || chosen === null || chosen <= now} onClick={() => onSet(chosen)}>
          Set
        </Button>
        {isAsleep && (
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
