import { decidedStates } from '@parley/core';
import { soundsLikeProject } from '@parley/core/space';
import type { WholeNegotiation } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useEffect } from 'react';
import { useSettledButton } from '../../dialogs/inbox/use-settled-button.ts';
import { useKeptCheckpoints } from '../../dialogs/inbox/use-kept-checkpoints.ts';
import { followLink, navigate, peerPath, workPath } from '../../lib/router.ts';
import { useAction } from '../../lib/use-action.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Hint } from '../../ui/hint.tsx';
import { Problem } from '../../ui/problem.tsx';
import { FailedRead } from '../failed-read.tsx';
import { PeerLink } from '../peer-link.tsx';
import { DriftButtons } from './drift-buttons.tsx';
import { Family } from './family.tsx';
import { GroupMembers } from './group-members.tsx';
import { isWithoutMe } from './group-words.ts';
import { HandOver } from './hand-over.tsx';
import { OutsidePart } from '../outside/outside-request.tsx';
import { NegotiationMark } from './negotiation-mark.tsx';
import { PromptItem } from '../prompts/prompt-item.tsx';
import { askedText, peerOf, progressText } from '../prompts/prompt-words.ts';
import { RemoveSample } from '../people/remove-sample.tsx';
import { SharedFields } from './shared-fields.tsx';
import { Steps } from './steps.tsx';
import { useRead } from '../use-read.ts';

const load = (client: Client, threadId: string) => client.call('getNegotiation', { params: { threadId } });

/** One negotiation from its first word on: what went out, what did not, and what waits for one. */
export function NegotiationView({ threadId }: { threadId: string }) {
  const read = useRead(load, threadId);
  useReloads(read.reload, read.data !== undefined && !decidedStates.has(read.data.state));
  return (
    <>
      <p className="mb-2 text-sm">
        <a href={peerPath()} onClick={followLink} className="rounded text-accent-ink hover:underline">
          All negotiations
        </a>
      </p>
      <FailedRead read={read} quiet={false} />
      {read.data && <Whole negotiation={read.data} onChanged={read.reload} />}
    </>
  );
}

const lookMs = 10_000;

/** Neither a model's work nor a member's answer moves a state, so no fact tells of them. */
function useReloads(reload: () => void, isOpen: boolean): void {
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(reload, lookMs);
    return () => clearInterval(timer);
  }, [reload, isOpen]);
}

function Whole({ negotiation, onChanged }: { negotiation: WholeNegotiation; onChanged: () => void }) {
  const { threadId, intent, title, peer, peerName, state, proposal, packets, prompts, waitsForMe, notice, isOutside } = negotiation;
  return (
    <article aria-label={`Negotiation with ${peerName}`} data-negotiation={state}>
      <h2 className="first-letter:uppercase text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h2>
      <p className="mt-1 flex items-center gap-1.5 text-sm text-ink-2">
        <NegotiationMark state={state} waitsForMe={waitsForMe} />
        <span className="font-medium text-ink">{progressText(negotiation)}</span>
        <span className="min-w-0 [overflow-wrap:anywhere]">
          · with {peerName}
          {isOutside ? ', who has no agent' : !negotiation.group && peerName !== peer && ` (${peer})`}
        </span>
      </p>
      {title !== intent && <p className="mt-1 text-sm [overflow-wrap:anywhere] text-ink-2">Asked for: “{intent}”</p>}
      <TaskLink negotiation={negotiation} />
      <Family family={negotiation.family} />
      {proposal !== null && decidedStates.has(state) && proposal.summary !== title && (
        <p className="mt-3 rounded-xl bg-sunken px-3.5 py-2.5 [overflow-wrap:anywhere]">Last proposal: {proposal.summary}</p>
      )}
      {notice !== null && (
        <output className="mt-3 block rounded-xl bg-notice-soft px-3.5 py-2.5 text-sm text-notice [overflow-wrap:anywhere]">
          “{notice}”
        </output>
      )}
      {negotiation.group && <GroupMembers negotiation={{ ...negotiation, group: negotiation.group }} />}
      <OpenPrompts threadId={threadId} />
      <OutsidePart negotiation={negotiation} onChanged={onChanged} />
      <Steering negotiation={negotiation} onChanged={onChanged} />
      <Introductions negotiation={negotiation} />
      {decidedStates.has(state) && <SampleEnd peer={peer} />}
      {!isOutside && <SharedFields steps={negotiation.steps} before={negotiation.sharedBefore} peerName={sharedWith(negotiation)} />}
      <h3 className="mt-6 mb-2 text-sm font-medium text-ink-2">Timeline</h3>
      <Steps steps={negotiation.steps} />
      <p className="mt-4 text-xs text-ink-3 tabular-nums">
        {`${packets === 1 ? '1 packet' : `${packets} packets`} · ${askedText(prompts)}`}
      </p>
    </article>
  );
}

/** A member’s values go to the coordinator alone. */
const sharedWith = ({ peerName, group }: WholeNegotiation): string => (group && !group.coordinates ? group.coordinatorName : peerName);

/** The task that opened it, as a step of its chain. */
function TaskLink({ negotiation: { taskId } }: { negotiation: WholeNegotiation }) {
  const chainId = useSelect((state) => (taskId === null ? undefined : state.tasks[taskId]?.chainId));
  if (chainId === undefined) return null;
  return (
    <p className="mt-1 text-sm">
      <a href={workPath(chainId)} onClick={followLink} className="rounded text-accent-ink underline underline-offset-2">
        The work that opened it
      </a>
    </p>
  );
}

const loadProfile = (client: Client) => client.call('getPeerProfile');

/** With the first project: spaces. After the first conflict: calendars. After the first event: the way to take it along. */
function Introductions({ negotiation: { threadId, intent, state, steps, group } }: { negotiation: WholeNegotiation }) {
  const profile = useRead(loadProfile).data;
  if (!profile) return null;
  if (soundsLikeProject(intent))
    return (
      <Hint name="spaces" subject={threadId} className="mt-3">
        This looks like a project. A shared space keeps its decisions, questions and next actions with everybody: make one under{' '}
        <PeerLink part="spaces">Spaces</PeerLink>.
      </Hint>
    );
  if (profile.calendars.length === 0 && steps.some(({ kind }) => kind === 'escalated'))
    return (
      <Hint name="calendar" subject={threadId} className="mt-3">
        Your peer counts every day from 9 to 22 as free, except for what it arranged itself. Add a calendar under{' '}
        <PeerLink part="sharing">Sharing</PeerLink>, and it proposes times that suit you.
      </Hint>
    );
  if (state !== 'COMPLETED' || isWithoutMe(state, group)) return null;
  return (
    <Hint name="download" subject={threadId} className="mt-3">
      The event is in your calendar here. Download it, or link your own calendar, under <PeerLink part="sharing">Sharing</PeerLink>.
    </Hint>
  );
}

const loadPeople = async (client: Client) => (await client.call('listPeerPeople')).people;

/** The story with the sample friend is over: it can go. */
function SampleEnd({ peer }: { peer: string }) {
  const friend = useRead(loadPeople).data?.find(({ address, isSample }) => isSample && address === peer);
  if (!friend) return null;
  return (
    <div className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-2 text-sm text-ink-2">
      <span>This friend is made up. Removing it also removes this negotiation.</span>
      <RemoveSample name={friend.name} onRemoved={() => navigate(peerPath())} />
    </div>
  );
}

const nothing = () => {};

/** Answered ones stay in their place while one looks. */
function OpenPrompts({ threadId }: { threadId: string }) {
  const checkpoints = useSelect((state) => state.checkpoints);
  const kept = useKeptCheckpoints(checkpoints).filter(
    ({ checkpoint: { card } }) => card && 'threadId' in card && card.threadId === threadId,
  );
  const { ref, still } = useSettledButton<HTMLDivElement>();
  return (
    <div ref={ref} className="mt-3 space-y-2.5">
      {kept.map((one) => (
        <div key={one.id} className="rounded-xl border border-line-strong bg-raised px-3 py-2.5">
          <PromptItem {...one} inside still={still} onClose={nothing} />
        </div>
      ))}
    </div>
  );
}

/** What a person can do that no prompt asks about. */
function Steering({
  negotiation: { threadId, state, peerName, waitsForMe, intent, isOutside, group },
  onChanged,
}: {
  negotiation: WholeNegotiation;
  onChanged: () => void;
}) {
  const { client } = useWorkspace();
  const steer = useAction(async (act: 'decline' | 'continue') => {
    await client.call('steerNegotiation', { params: { threadId }, body: { act } });
    onChanged();
  });
  if (decidedStates.has(state)) return null;
  return (
    <div className="mt-3">
      {state === 'STALLED' && (
        <p className="mb-2 text-sm text-ink-2">{`${isOutside ? peerName : peerOf(peerName)} did not answer in time, or no time suits both. Let it continue, or end it.`}</p>
      )}
      <div className="flex flex-wrap gap-2">
        {state === 'STALLED' && (
          <Button look="primary" disabled={steer.busy} onClick={() => steer.act('continue')}>
            Continue
          </Button>
        )}
        {!(state === 'PROPOSED' && waitsForMe) && (
          <Button disabled={steer.busy} onClick={() => steer.act('decline')}>
            End this negotiation
          </Button>
        )}
        {group && <HandOver threadId={threadId} state={state} group={group} onChanged={onChanged} />}
        {!isOutside && !group && <DriftButtons threadId={threadId} intent={intent} onChanged={onChanged} />}
      </div>
      <Problem text={steer.error} />
    </div>
  );
}
