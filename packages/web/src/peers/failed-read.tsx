import { Button } from '../ui/button.tsx';
import type { Read } from './use-read.ts';

/** Why something is missing, and the way to it; while nothing came yet, that it is on its way. */
export function FailedRead({ read, quiet = true }: { read: Pick<Read<unknown>, 'data' | 'error' | 'reload'>; quiet?: boolean }) {
  if (read.error !== null) {
    return (
      <p role="alert" className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-danger-soft px-3.5 py-2 text-sm text-danger">
        {read.error}
        <Button onClick={read.reload} className="min-h-8">
          Try again
        </Button>
      </p>
    );
  }
  return read.data === undefined && !quiet ? <p className="py-10 text-center text-sm text-ink-3">Loading…</p> : null;
}
