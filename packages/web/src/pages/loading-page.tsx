import { errorText } from '../lib/error-text.ts';
import { Button } from '../ui/button.tsx';
import { Logo } from '../ui/icons.tsx';
import { Sheet } from './sheet.tsx';

export function Loading() {
  return (
    <main className="flex h-full items-center justify-center bg-sunken" aria-busy="true" aria-label="Loading">
      <span className="motion-safe:animate-pulse">
        <Logo size={40} />
      </span>
    </main>
  );
}

export function LoadFailure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <Sheet title="Parley did not open">
      <p className="mt-2 mb-6 text-ink-2">{errorText(error)}</p>
      <Button look="primary" onClick={onRetry} className="w-full">
        Try again
      </Button>
    </Sheet>
  );
}
