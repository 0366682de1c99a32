import type { Client } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { fieldLabel, valueText } from '../field-words.ts';
import { PeerLink } from '../peer-link.tsx';
import { useRead } from '../use-read.ts';
import { WholeValue } from '../whole-value.tsx';
import { othersText } from './space-words.ts';
import type { SpacePart } from './space-view.tsx';

const loadProfile = (client: Client) => client.call('getPeerProfile');

/** What one's tiers keep out of the space; a field that one is asked about can be shared here, after asking. */
export function HeldBack({ space, onChanged }: SpacePart) {
  const { client } = useWorkspace();
  const [asked, setAsked] = useState<string | null>(null);
  const value = useRead(loadProfile).data?.fields[asked ?? ''];
  const share = useAction(async (field: string) => {
    const writes = [{ field: `${space.ownPrefix}${field}`.slice(0, 64), value: value ?? null }];
    onChanged(await client.call('writeSpace', { params: { spaceId: space.id }, body: { writes } }));
    setAsked(null);
  });
  const canWrite = space.isJoined && space.people.some(({ isMe, may }) => isMe && may !== 'read-all');
  if (space.heldBack.length === 0) return null;
  return (
    <section aria-label="Held back" className="mt-6 text-sm">
      <h3 className="mb-1 font-medium text-ink-2">Your peer keeps these out of the space</h3>
      <ul>
        {space.heldBack.map(({ field, tier }) => (
          <li key={field} className="flex min-h-9 flex-wrap items-center gap-2">
            <span className="[overflow-wrap:anywhere]">{fieldLabel(field)}</span>
            <span className="text-ink-3">{tier === 'never_share' ? 'you never share it' : 'you share it only when you say so'}</span>
            {tier === 'ask_first' && canWrite && (
              <Button onClick={() => setAsked(field)} className="min-h-8">
                Share here
              </Button>
            )}
          </li>
        ))}
      </ul>
      <p className="text-ink-3">
        You decide under <PeerLink part="sharing">Sharing</PeerLink>.
      </p>
      {asked !== null && (
        <Dialog
          title={`Share ${fieldLabel(asked)}?`}
          hint={`${othersText(space)}. They keep what they have read.`}
          onClose={() => setAsked(null)}
          footer={
            <>
              <Button onClick={() => setAsked(null)}>Don’t share</Button>
              <Button look="primary" disabled={share.busy || value === undefined} onClick={() => share.act(asked)}>
                Share
              </Button>
            </>
          }
        >
          <p className="[overflow-wrap:anywhere]">{value === undefined ? '…' : valueText(value)}</p>
          {value !== undefined && <WholeValue field={asked} value={value} />}
          <Problem text={share.error} />
        </Dialog>
      )}
    </section>
  );
}
