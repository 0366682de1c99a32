import type { Checkpoint } from '@parley/protocol';
import { useMemo } from 'react';
import { followLink, messagePath } from '../lib/router.ts';
import { timeOfDay } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { withCheckpoint } from '../state/work.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { withHandles } from '../ui/handles.tsx';
import { Problem } from '../ui/problem.tsx';

/** What waits for one, in one place and one tap each (SYS-1). */
export function InboxDialog({ onClose }: { onClose: () => void }) {
  const checkpoints = useSelect((state) => state.checkpoints);
  const waiting = useMemo(() => Object.values(checkpoints).sort((a, b) => a.seq - b.seq), [checkpoints]);
  return (
    <Dialog title="Waiting for you" hint="What needs a person, and that person is you." onClose={onClose}>
      {waiting.length === 0 && <p className="text-ink-2">Nothing waits for you.</p>}
      <ul className="space-y-2.5">
        {waiting.map((checkpoint) => (
          <li key={checkpoint.id} data-checkpoint={checkpoint.kind} className="rounded-xl border border-line px-3 py-2.5">
            <Waiting checkpoint={checkpoint} onClose={onClose} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Waiting({ checkpoint, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  const { client, store } = useWorkspace();
  const { act, busy, error } = useAction(async (choice: string) => {
    const closed = await client.call('closeCheckpoint', { params: { checkpointId: checkpoint.id }, body: { choice } });
    store.update((state) => withCheckpoint(state, closed));
  });
  return (
    <>
      <p>
        {withHandles(checkpoint.text)} <time className="text-xs text-ink-3 tabular-nums">{timeOfDay(checkpoint.createdAt)}</time>
      </p>
      <p className="mt-1 flex flex-wrap gap-x-3 text-sm">
        {checkpoint.links.map(({ conversationId, messageId }, n) => (
          <a
            key={messageId}
            href={messagePath(conversationId, messageId)}
            onClick={(event) => {
              followLink(event);
              onClose();
            }}
            className="rounded font-medium text-accent-ink underline underline-offset-2"
          >
            {checkpoint.links.length > 1 ? `Message ${n + 1}` : 'The message'}
          </a>
        ))}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {checkpoint.choices.map(({ choice, label }, n) => (
          <Button key={choice} look={n === 0 ? 'primary' : 'plain'} disabled={busy} onClick={() => act(choice)}>
            {label}
          </Button>
        ))}
      </div>
      <Problem text={error} />
    </>
  );
}
