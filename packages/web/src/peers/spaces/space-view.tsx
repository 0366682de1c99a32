import type { WholeSpace } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { followLink, navigate, peerPath } from '../../lib/router.ts';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { FailedRead } from '../failed-read.tsx';
import { fieldLabel, valueText } from '../field-words.ts';
import { whenText } from '../moments.ts';
import { useRead } from '../use-read.ts';
import { AddField } from './add-field.tsx';
import { HeldBack } from './held-back.tsx';
import { SpaceChannel } from './space-channel.tsx';
import { SpaceField } from './space-field.tsx';
import { agreementText, isAgreement, nameIn, ownPermissionText, permissionText, reasonText } from './space-words.ts';

const load = (client: Client, spaceId: string) => client.call('getSpace', { params: { spaceId } });

export function SpaceView({ spaceId }: { spaceId: string }) {
  const read = useRead(load, spaceId);
  return (
    <>
      <p className="mb-2 text-sm">
        <a href={peerPath('spaces')} onClick={followLink} className="rounded text-accent-ink hover:underline">
          All spaces
        </a>
      </p>
      <FailedRead read={read} quiet={false} />
      {read.data && <Whole space={read.data} onChanged={read.replace} />}
    </>
  );
}

export interface SpacePart {
  space: WholeSpace;
  onChanged: (space: WholeSpace) => void;
}

function Whole({ space, onChanged }: SpacePart) {
  const { id, name, people } = space;
  const fields = space.fields.filter((one) => !isAgreement(space, one));
  const news = useNews(space);
  const isOnly = people.every(({ isMe, may }) => !isMe || may === 'read-all');
  return (
    <article aria-label={name} data-space={id}>
      <h2 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{name}</h2>
      <ul aria-label="People in this space" className="mt-1 text-sm text-ink-2">
        {people.map((person) => (
          <li key={person.address} className="[overflow-wrap:anywhere]">
            <span className="text-ink">{nameIn(space, person.address)}</span>{' '}
            {person.isGone ? 'left' : person.isMe ? ownPermissionText[person.may] : permissionText[person.may]}
          </li>
        ))}
      </ul>
      <Join space={space} onChanged={onChanged} />
      <News space={space} changes={news} />
      <h3 className="mt-6 mb-2 text-sm font-medium text-ink-2">Fields</h3>
      {fields.length === 0 && <p className="text-sm text-ink-3">Nothing yet.</p>}
      <ul aria-label="Fields" className="space-y-2">
        {fields.map((field) => (
          <SpaceField key={field.field} space={space} field={field} onChanged={onChanged} />
        ))}
      </ul>
      {space.isJoined && !isOnly && <AddField space={space} onChanged={onChanged} />}
      {space.refused.map(({ address, times }) => (
        <p key={address} className="mt-3 text-sm text-ink-2 [overflow-wrap:anywhere]">
          {`${nameIn(space, address)} tried ${times === 1 ? 'a write' : `${times} writes`} that this space does not take.`}
        </p>
      ))}
      <HeldBack space={space} onChanged={onChanged} />
      <SpaceChannel space={space} onChanged={onChanged} />
      <Leave space={space} />
    </article>
  );
}

/** What was new when one came stays while one looks, though one has seen it now. */
function useNews({ id, isNew, changes }: WholeSpace): WholeSpace['changes'] {
  const { client } = useWorkspace();
  const latest = JSON.stringify(changes);
  const [kept, setKept] = useState({ latest, news: changes });
  if (latest !== kept.latest) {
    const older = kept.news.filter(({ field }) => !changes.some((one) => one.field === field));
    setKept({ latest, news: [...older, ...changes] });
  }
  useEffect(() => {
    // It is marked with the next look where this fails.
    if (isNew || latest !== '[]') client.call('seeSpace', { params: { spaceId: id } }).catch(() => {});
  }, [client, id, isNew, latest]);
  return kept.news;
}

function News({ space, changes }: { space: WholeSpace; changes: WholeSpace['changes'] }) {
  const now = useNow();
  if (changes.length === 0) return null;
  return (
    <section aria-label="New" className="mt-4 rounded-xl bg-notice-soft px-3.5 py-2.5 text-sm">
      <h3 className="font-medium">New since you last looked</h3>
      <ul className="mt-1 space-y-1">
        {changes.map(({ field, by, at, before, value, reason }) => (
          <li key={field} className="[overflow-wrap:anywhere]">
            <Change name={nameIn(space, by)} change={{ field, by, before, value }} />
            {reason !== null && <span className="font-medium text-notice"> · {reasonText[reason]}</span>}{' '}
            <time className="text-xs text-ink-2 tabular-nums">{whenText(at, now)}</time>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Change({ name, change }: { name: string; change: Pick<WholeSpace['changes'][number], 'field' | 'by' | 'before' | 'value'> }) {
  const { field, before, value } = change;
  const agreement = agreementText(change);
  if (agreement !== undefined) return `${name} ${agreement}`;
  return (
    <>
      {name} {value === null ? 'removed' : before === null ? 'wrote' : 'changed'} <b>{fieldLabel(field)}</b>
      {value !== null && `: ${valueText(value)}`}
      {before !== null && <span className="text-ink-2"> (before: {valueText(before)})</span>}
    </>
  );
}

function Join({ space, onChanged }: SpacePart) {
  const { client } = useWorkspace();
  const join = useAction(async () => onChanged(await client.call('joinSpace', { params: { spaceId: space.id } })));
  if (space.isJoined) return null;
  return (
    <div className="mt-3 rounded-xl border border-line-strong px-3.5 py-2.5 text-sm">
      <p>Nobody has verified somebody in this space. You can read it. What you write would reach them, too.</p>
      <Button disabled={join.busy} onClick={join.act} className="mt-2">
        Join
      </Button>
      <Problem text={join.error} />
    </div>
  );
}

function Leave({ space: { id, name } }: { space: WholeSpace }) {
  const { client } = useWorkspace();
  const [asking, setAsking] = useState(false);
  const leave = useAction(async () => {
    await client.call('leaveSpace', { params: { spaceId: id } });
    navigate(peerPath('spaces'));
  });
  return (
    <div className="mt-8 border-t border-line pt-4">
      <Button icon="leave" onClick={() => setAsking(true)}>
        Leave this space
      </Button>
      {asking && (
        <Dialog
          title={`Leave “${name}”?`}
          hint="Its fields are deleted here. The others keep them, and go on without you. You cannot come back."
          onClose={() => setAsking(false)}
          footer={
            <>
              <Button onClick={() => setAsking(false)}>Stay</Button>
              <Button look="danger" disabled={leave.busy} onClick={leave.act}>
                Leave
              </Button>
            </>
          }
        >
          <Problem text={leave.error} />
        </Dialog>
      )}
    </div>
  );
}
