import { useDialogs } from '../dialogs/context.ts';
import { useNarrow } from '../lib/use-media.ts';
import { useSelect } from '../state/context.ts';
import { waitingFor } from '../state/work.ts';

/** Where the sidebar is closed, nobody would see its count. */
export function WaitingBanner() {
  const narrow = useNarrow();
  const dialogs = useDialogs();
  const count = useSelect(waitingFor);
  if (!narrow || count === 0) return null;
  return (
    <section
      aria-label="Your inbox"
      className="flex shrink-0 items-center justify-center gap-3 bg-accent-soft px-4 py-1.5 text-sm text-accent-ink"
    >
      <span>{count === 1 ? '1 item waits for you' : `${count} items wait for you`}</span>
      <button type="button" onClick={() => dialogs.open('inbox')} className="min-h-6 rounded font-medium underline underline-offset-2">
        Open your inbox
      </button>
    </section>
  );
}
