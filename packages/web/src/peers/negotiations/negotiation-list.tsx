import type { NegotiationSummary } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { followLink, negotiationPath, navigate } from '../../lib/router.ts';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Hint } from '../../ui/hint.tsx';
import { Problem } from '../../ui/problem.tsx';
import { FailedRead } from '../failed-read.tsx';
import { PeerLink } from '../peer-link.tsx';
import { dayText } from '../moments.ts';
import { NegotiationMark } from './negotiation-mark.tsx';
import { progressText } from '../prompts/prompt-words.ts';
import { useRead } from '../use-read.ts';

const load = async (client: Client) => (await client.call('listNegotiations')).negotiations;

/** So many have something to tell. */
const experienced = 10;

export function NegotiationList() {
  const read = useRead(load);
  return (
    <>
      <FailedRead read={read} quiet={false} />
      {(read.data?.length ?? 0) >= experienced && (
        <Hint name="memory" subject="list" className="mb-3">
          Your peer has learned what people usually ask and share. <PeerLink part="memory">Memory</PeerLink> shows it, and you can correct
          it.
        </Hint>
      )}
      {read.data?.length === 0 && <NoneYet />}
      {read.data && read.data.length > 0 && (
        <ul aria-label="Negotiations" className="space-y-2">
          {read.data.map((negotiation) => (
            <Line key={negotiation.threadId} negotiation={negotiation} />
          ))}
        </ul>
      )}
    </>
  );
}

function Line({ negotiation }: { negotiation: NegotiationSummary }) {
  const { threadId, title, peerName, state, waitsForMe, notice, updatedAt } = negotiation;
  const now = useNow();
  return (
    <li data-negotiation={state}>
      <a
        href={negotiationPath(threadId)}
        onClick={followLink}
        className="flex items-start gap-2.5 rounded-xl border border-line px-3.5 py-2.5 hover:bg-hover"
      >
        <NegotiationMark state={state} waitsForMe={waitsForMe} />
        <span className="min-w-0 flex-1">
          <span className="block font-semibold first-letter:uppercase [overflow-wrap:anywhere]">{title}</span>
          <span className="block text-sm text-ink-2 [overflow-wrap:anywhere]">
            With {peerName} · {progressText(negotiation)}
            {notice !== null && <span className="text-notice"> · “{notice}”</span>}
            {waitsForMe && <span className="font-medium text-notice"> · Waiting for you</span>}
          </span>
        </span>
        <time className="shrink-0 text-xs text-ink-3 tabular-nums">{dayText(updatedAt, now)}</time>
      </a>
    </li>
  );
}

/** One person alone can see how it works: the friend is made up, everything else is real. */
function NoneYet() {
  const { client } = useWorkspace();
  const play = useAction(async () => {
    const friend = await client.call('addSampleFriend');
    const opened = await client.call('openNegotiation', { body: { with: friend.address, intent: 'Dinner on Friday', needs: [] } });
    navigate(negotiationPath(opened.threadId));
  });
  return (
    <div className="py-12 text-center">
      <p className="font-medium">No negotiation yet</p>
      <p className="mx-auto mt-1 max-w-md text-sm text-ink-2">
        Write “^ORAC arrange dinner with @somebody on Friday” in a channel, or choose <b>Arrange something</b>. Your peer asks theirs, and
        you confirm the result.
      </p>
      <Button icon="play" disabled={play.busy} onClick={play.act} className="mt-4">
        {play.busy ? 'Starting…' : 'Try it with a sample friend'}
      </Button>
      <div className="mx-auto mt-3 max-w-md">
        <Problem text={play.error} />
      </div>
    </div>
  );
}
