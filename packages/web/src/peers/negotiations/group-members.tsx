import type { GroupProgress, NegotiationSummary } from '@parley/protocol';
import { useNow } from '../../lib/use-now.ts';
import { Hint } from '../../ui/hint.tsx';
import { whenText } from '../moments.ts';
import { memberText, offerText, quorumText, waitingText } from './group-words.ts';

interface Props {
  negotiation: NegotiationSummary & { group: GroupProgress };
}

/** Who takes part, and how far each of them is, as far as this side may know it. */
export function GroupMembers({ negotiation: { threadId, state, group } }: Props) {
  const { members, coordinator, order, binding } = group;
  const names = order.map((address) => members.find((member) => member.address === address)?.name ?? address);
  const offer = offerText(group);
  const quorum = quorumText(state, group);
  const now = useNow();
  const waiting = waitingText(group, (at) => whenText(at, now));
  return (
    <section aria-label="People" className="mt-4 rounded-xl bg-sunken px-3.5 py-2.5 text-sm">
      <Introduction threadId={threadId} group={group} />
      {quorum !== null && (
        <p className="font-medium tabular-nums" data-quorum={group.confirmed ?? ''}>
          {quorum}
        </p>
      )}
      <ul aria-label="Who takes part" className="mt-1 grid gap-x-3 gap-y-0.5 sm:grid-cols-[auto_minmax(0,1fr)]">
        {members.map((member) => (
          <li key={member.address} className="contents" data-member={member.status ?? ''}>
            <span className="min-w-0 [overflow-wrap:anywhere]">
              {member.isMe ? 'You' : member.name}
              {member.address === coordinator && <span className="text-ink-3"> · coordinator</span>}
            </span>
            <span className="text-ink-2 max-sm:mb-1">{memberText(member, state, member.address === coordinator)}</span>
          </li>
        ))}
      </ul>
      {names.length > 0 && <p className="mt-1.5 text-ink-2 [overflow-wrap:anywhere]">Asked one after the other: {names.join(', ')}</p>}
      {offer !== null && <p className="mt-1.5 [overflow-wrap:anywhere]">{offer}</p>}
      {waiting !== null && <p className="mt-1.5 [overflow-wrap:anywhere]">{waiting}</p>}
      {binding !== null && <p className="mt-1.5 [overflow-wrap:anywhere]">{binding}</p>}
    </section>
  );
}

/** At the first group (A2C-39). */
function Introduction({ threadId, group: { coordinates, coordinatorName } }: { threadId: string; group: GroupProgress }) {
  return (
    <Hint name="group" subject={threadId} className="-mx-1.5 mb-1.5 bg-raised">
      {coordinates
        ? 'Your peer coordinates this group: it asks everybody, proposes what suits most, and counts confirmations. The others see only the proposal.'
        : `${coordinatorName}’s peer coordinates this group. Your answers go to it alone; the others see only the proposal.`}
    </Hint>
  );
}
