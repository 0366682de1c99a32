import type { GroupProgress } from '@parley/protocol';
import { useId, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { mayHandOver } from './group-words.ts';

interface Props {
  threadId: string;
  state: string;
  group: GroupProgress;
  onChanged: () => void;
}

/** The coordinator's person gives the role to a member, before anything is proposed (A2C-30). */
export function HandOver({ threadId, state, group, onChanged }: Props) {
  const [isOpen, setOpen] = useState(false);
  const members = group.members.filter(({ isMe, status }) => !isMe && status !== 'declined');
  if (!mayHandOver(state, group) || members.length === 0) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>Hand over the coordination</Button>
      {isOpen && <HandOverDialog threadId={threadId} members={members} onChanged={onChanged} onClose={() => setOpen(false)} />}
    </>
  );
}

interface DialogProps {
  threadId: string;
  members: GroupProgress['members'];
  onChanged: () => void;
  onClose: () => void;
}

function HandOverDialog({ threadId, members, onChanged, onClose }: DialogProps) {
  const { client } = useWorkspace();
  const form = useId();
  const [to, setTo] = useState(members[0]!.address);
  const offer = useAction(async () => {
    await client.call('transferCoordination', { params: { threadId }, body: { to } });
    onClose();
    onChanged();
  });
  return (
    <Dialog
      title="Hand over the coordination"
      hint="Their peer decides by itself. If it accepts, it asks everybody again, proposes and counts confirmations; you become a member."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" disabled={offer.busy}>
            {offer.busy ? 'Handing over…' : 'Hand over'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          offer.act();
        }}
      >
        <Select label="New coordinator" value={to} onChange={setTo}>
          {members.map(({ address, name }) => (
            <option key={address} value={address}>
              {name}
            </option>
          ))}
        </Select>
        <Problem text={offer.error} />
      </form>
    </Dialog>
  );
}
