import { isOpen } from '@parley/core';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';

export function StopEverythingDialog({ onClose }: { onClose: () => void }) {
  const { client, store } = useWorkspace();
  const open = useSelect((state) => Object.values(state.tasks).filter((task) => isOpen(task.state)).length);
  const { act, busy, error } = useAction(async () => {
    const halt = await client.call('halt');
    store.update((state) => ({ ...state, halt }));
    onClose();
  });
  return (
    <Dialog
      title="Stop everything?"
      hint="Every agent stops within two seconds, and none begins again before an owner or admin releases them. People go on talking."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" icon="stop" disabled={busy} onClick={act}>
            Stop everything
          </Button>
        </>
      }
    >
      <p className="text-ink-2">
        {open === 0
          ? 'You can see no open task. Tasks of others are stopped as well.'
          : `${open === 1 ? '1 open task' : `${open} open tasks`} that you can see will pause. Nothing is lost: they go on when released.`}
      </p>
      <div className="mt-3">
        <Problem text={error} />
      </div>
    </Dialog>
  );
}
