import { useSettledButton } from '../dialogs/inbox/use-settled-button.ts';
import type { KeptCheckpoint } from '../dialogs/inbox/use-kept-checkpoints.ts';
import { CheckpointItem } from '../dialogs/inbox/checkpoint-item.tsx';
import { Icon } from '../ui/icons.tsx';

const nothing = () => {};

/** What waits for the reader's decision, where it came up: answered here as in the inbox. */
export function CheckpointRow({ checkpoint, open }: Omit<KeptCheckpoint, 'id'>) {
  const { ref, still } = useSettledButton<HTMLDivElement>();
  return (
    <article aria-label="Waiting for your decision" data-checkpoint={checkpoint.id} className="flex gap-3 px-4 py-2 sm:px-6">
      <span className="flex w-9 shrink-0 justify-end pt-3">
        <Icon name="bell" size={17} className="text-notice" />
      </span>
      <div ref={ref} className="min-w-0 max-w-2xl flex-1 rounded-xl border border-line-strong bg-raised px-3 py-2.5">
        <CheckpointItem id={checkpoint.id} checkpoint={checkpoint} open={open} still={still} onClose={nothing} />
      </div>
    </article>
  );
}
