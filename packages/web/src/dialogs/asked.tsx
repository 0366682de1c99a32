import type { Checkpoint } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

/** Exactly what an agent would do, and why one is asked. It holds the agent's words: text, whatever it looks like. */
export function Asked({ checkpoint }: { checkpoint: Checkpoint }) {
  const { client } = useWorkspace();
  const [whole, setWhole] = useState<string | null>(null);
  const show = useAction(async () => {
    const { detail } = await client.call('getCheckpoint', { params: { checkpointId: checkpoint.id } });
    setWhole(detail);
  });
  return (
    <>
      <pre className="mt-1.5 max-h-72 overflow-y-auto rounded-lg bg-sunken px-2.5 py-2 text-sm break-words whitespace-pre-wrap">
        {whole ?? checkpoint.detail}
      </pre>
      {checkpoint.cut && whole === null && (
        <Button disabled={show.busy} onClick={show.act} className="mt-1.5 min-h-8 px-2.5 text-[13px]">
          Show all of it
        </Button>
      )}
      {checkpoint.reason !== null && <p className="mt-1.5 text-sm text-ink-2">{checkpoint.reason}</p>}
      <Problem text={show.error} />
    </>
  );
}
