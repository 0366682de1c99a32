import type { PeerPerson, PeerSafety } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useMember, useWorkspace } from '../../state/context.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { AskAgain } from '../../ui/ask-again.tsx';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast.tsx';
import { Arrange } from '../negotiations/arrange.tsx';
import { trustText } from '../prompts/prompt-words.ts';
import { RemoveSample } from './remove-sample.tsx';
import { ComparedBox, SafetyNumber } from './safety-number.tsx';

/** One person: how their key came here, and what can be done about it. */
export function PersonRow({ person, onChanged }: { person: PeerPerson; onChanged: () => void }) {
  const { client } = useWorkspace();
  const member = useMember(person.memberId);
  const [safety, setSafety] = useState<PeerSafety | null>(null);
  const [arranging, setArranging] = useState(false);
  const [blocking, setBlocking] = useState(false);
  const params = { address: person.address };
  const show = useAction(async () => {
    setSafety(safety === null ? await client.call('verifyPeerPerson', { params, body: {} }) : null);
  });
  const decide = useAction(async (body: { accepts: string } | { keeps: true }) => {
    await client.call('verifyPeerPerson', { params, body });
    setSafety(null);
    toast('accepts' in body ? `${person.name} is verified` : `The old key of ${person.name} is kept`);
    onChanged();
  });
  const block = useAction(async () => {
    await client.call('blockPeerPerson', { params, body: { isOn: !person.blocked } });
    setBlocking(false);
    onChanged();
  });
  const small = 'min-h-8 px-2.5 text-[13px]';
  return (
    <li data-trust={person.trust} className="rounded-xl border border-line px-3.5 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Avatar member={member} size={32} />
        <div className="min-w-0 flex-[1_1_12rem]">
          <p className="font-semibold [overflow-wrap:anywhere]">{person.name}</p>
          <p className="text-sm [overflow-wrap:anywhere] text-ink-2">
            {[trustText(person), ...(person.blocked ? ['Blocked'] : [])].join(' · ')}
            {person.name !== person.address && <span className="block font-mono text-xs text-ink-3">{person.address}</span>}
          </p>
        </div>
        <div className="flex flex-wrap gap-1.5">
          {!person.blocked && (
            <Button onClick={() => setArranging(true)} aria-label={`Arrange something with ${person.name}`} className={small}>
              Arrange
            </Button>
          )}
          <Button
            aria-expanded={safety !== null}
            aria-label={person.trust === 'verified' ? `Safety number of you and ${person.name}` : `Verify ${person.name}`}
            disabled={show.busy}
            onClick={show.act}
            className={small}
          >
            {person.trust === 'verified' ? 'Safety number' : 'Verify'}
          </Button>
          {!blocking && (
            <Button
              aria-label={`${person.blocked ? 'Unblock' : 'Block'} ${person.name}`}
              disabled={block.busy}
              onClick={() => (person.blocked ? block.act() : setBlocking(true))}
              className={small}
            >
              {person.blocked ? 'Unblock' : 'Block'}
            </Button>
          )}
          {person.isSample && <RemoveSample name={person.name} className={small} onRemoved={onChanged} />}
        </div>
      </div>
      {blocking && (
        <AskAgain
          text={`${person.name} can no longer reach your peer, and nothing goes out to them. Your peer forgets what it remembers of them.`}
          act={`Block ${person.name}`}
          busy={block.busy}
          onAct={block.act}
          onBack={() => setBlocking(false)}
        />
      )}
      {person.alarm !== null && (
        <p role="alert" className="mt-2 rounded-lg bg-danger-soft px-3 py-2 text-sm [overflow-wrap:anywhere] text-danger">
          The line is stopped: {person.alarm}
        </p>
      )}
      {person.malformed > 0 && (
        <p className="mt-2 text-sm text-notice">
          {person.malformed === 1 ? 'One packet' : `${person.malformed} packets`} of theirs could not be read. If you do not expect it,
          block them.
        </p>
      )}
      <Problem text={show.error ?? decide.error ?? block.error} />
      {safety !== null && <Comparison person={person} safety={safety} busy={decide.busy} onDecide={decide.act} />}
      {arranging && <Arrange withWhom={person} onClose={() => setArranging(false)} />}
    </li>
  );
}

interface ComparisonProps {
  person: PeerPerson;
  safety: PeerSafety;
  busy: boolean;
  onDecide: (body: { accepts: string } | { keeps: true }) => void;
}

function Comparison({ person, safety, busy, onDecide }: ComparisonProps) {
  const [same, setSame] = useState(false);
  return (
    <div className="mt-2 border-t border-line pt-1">
      <SafetyNumber number={safety.safetyNumber} name={person.name} />
      {person.trust === 'verified' && person.alarm === null ? null : (
        <>
          <ComparedBox name={person.name} checked={same} onChange={setSame} />
          <div className="mt-2 flex flex-wrap gap-2">
            <Button look="primary" disabled={busy || !same} onClick={() => onDecide({ accepts: safety.safetyNumber })}>
              {person.alarm === null ? 'Mark as verified' : 'Accept the new key'}
            </Button>
            {person.alarm !== null && (
              <Button disabled={busy} onClick={() => onDecide({ keeps: true })}>
                Keep the old key
              </Button>
            )}
          </div>
        </>
      )}
    </div>
  );
}
