import { detailParts } from '@parley/core';
import type { Checkpoint } from '@parley/protocol';
import { Fragment } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { flatArguments, type FlatArguments } from './flat-arguments.ts';

interface Props {
  checkpoint: Checkpoint;
  onWhole: (whole: Checkpoint) => void;
}

/** Exactly what an agent would do, and why one is asked. It holds the agent's words: text, whatever it looks like. */
export function ApprovalDetail({ checkpoint, onWhole }: Props) {
  const { client } = useWorkspace();
  const show = useAction(async () => {
    onWhole(await client.call('getCheckpoint', { params: { checkpointId: checkpoint.id } }));
  });
  const { lines, event } = detailParts(checkpoint.detail ?? '');
  const flat = checkpoint.cut ? null : flatArguments(lines);
  return (
    <>
      {flat === null ? (
        <Block text={lines} />
      ) : (
        <>
          {flat.before !== '' && <Block text={flat.before} />}
          <ArgumentList pairs={flat.pairs} />
        </>
      )}
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
      {checkpoint.wouldNotRun !== null && <p className="mt-1.5 text-sm [overflow-wrap:anywhere] text-danger">{checkpoint.wouldNotRun}</p>}
      <Problem text={show.error} />
    </>
  );
}

const ArgumentList = ({ pairs }: Pick<FlatArguments, 'pairs'>) => (
  <dl
    aria-label="Arguments"
    className="mt-1.5 grid gap-x-3 gap-y-1 rounded-lg bg-sunken px-2.5 py-2 text-sm sm:grid-cols-[auto_minmax(0,1fr)]"
  >
    {pairs.map(([name, value]) => (
      <Fragment key={name}>
        <dt className="text-ink-3 [overflow-wrap:anywhere]">{name}</dt>
        <dd className="font-mono text-[13px] whitespace-pre-wrap [overflow-wrap:anywhere]">{value}</dd>
      </Fragment>
    ))}
  </dl>
);

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
