import { detailParts, untilText } from '@parley/core';
import type { Checkpoint } from '@parley/protocol';
import { momentOf } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useNow } from '../lib/use-now.ts';
import { useWorkspace } from '../state/context.ts';
import { Button } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

interface Props {
  checkpoint: Checkpoint;
  /** It still waits for an answer. */
  open: boolean;
  onWhole: (whole: Checkpoint) => void;
}

/** Exactly what an agent would do, and why one is asked. It holds the agent's words: text, whatever it looks like. */
export function ApprovalDetail({ checkpoint, open, onWhole }: Props) {
  const { client } = useWorkspace();
  const show = useAction(async () => {
    onWhole(await client.call('getCheckpoint', { params: { checkpointId: checkpoint.id } }));
  });
  const now = useNow();
  const { lines, event } = detailParts(checkpoint.detail ?? '');
  return (
    <>
      <Block text={lines} />
      {event !== null && (
        // In a block of its own: what a monitor wrote never stands among the lines above.
        <figure aria-label="The event">
          <figcaption className="mt-1.5 text-xs font-medium text-ink-3">The event</figcaption>
          <Block text={event} />
        </figure>
      )}
      {checkpoint.cut && (
        <Button disabled={show.busy} onClick={show.act} className="mt-1.5 min-h-8 px-2.5 text-[13px]">
          Show all of it
        </Button>
      )}
      {checkpoint.reason !== null && <p className="mt-1.5 text-sm text-ink-2">{checkpoint.reason}</p>}
      {checkpoint.wouldNotRun === null ? (
        checkpoint.until !== null && (
          // Answered, it has no deadline; its place stays, so that nothing moves under the pointer.
          <p className={`mt-1.5 text-sm text-ink-2 ${open ? '' : 'invisible'}`}>{untilText(momentOf(checkpoint.until, now))}</p>
        )
      ) : (
        <p className="mt-1.5 text-sm [overflow-wrap:anywhere] text-danger">{checkpoint.wouldNotRun}</p>
      )}
      <Problem text={show.error} />
    </>
  );
}

const Block = ({ text }: { text: string }) => (
  // Scrolled by keyboard as well.
  <pre
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    tabIndex={0}
    className="mt-1.5 rounded-lg sm:max-h-72 sm:overflow-y-auto bg-sunken px-2.5 py-2 text-sm break-words whitespace-pre-wrap"
  >
    {text}
  </pre>
);
