// A link for somebody else: it signs them in, and can raise their access role.

import type { CreatedLink, Member, Role } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useMe, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { CopyLink } from '../ui/copy-link.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { LocalLinkWarning } from '../ui/local-link-warning.tsx';
import { Problem } from '../ui/problem.tsx';
import { Select } from '../ui/select.tsx';

type Raised = Exclude<Role, 'guest'>;
const ranks: readonly Role[] = ['guest', 'member', 'admin', 'owner'];
const roleWords: Readonly<Record<Raised, string>> = {
  member: 'A member: finds and joins public channels',
  admin: 'An admin: manages members and channels',
  owner: 'An owner: may do everything',
};

export function AccessLinkDialog({ member, first, onBack, onClose }: Props) {
  const { client } = useWorkspace();
  const me = useMe();
  const [link, setLink] = useState(first);
  const [role, setRole] = useState<Raised | ''>('');
  const higher = ranks
    .slice(ranks.indexOf(member.role) + 1)
    .filter((one): one is Raised => one !== 'guest' && (one !== 'owner' || me.role === 'owner'));
  const make = useAction(async (next: Raised | '') => {
    setLink(await client.call('createSignInLink', { body: { memberId: member.id, ...(next === '' ? {} : { role: next }) } }));
    setRole(next);
  });
  return (
    <Dialog
      title={`Sign-in link for ${nameOf(member)}`}
      hint="Send it only to them: the link signs in as them."
      onClose={onClose}
      footer={<Button onClick={onBack}>Back</Button>}
    >
      <div className="space-y-4">
        {higher.length > 0 && (
          <Select label="Opening it makes them" value={role} onChange={(value) => make.act(value as Raised | '')}>
            <option value="">What they are: {member.role}</option>
            {higher.map((one) => (
              <option key={one} value={one}>
                {roleWords[one]}
              </option>
            ))}
          </Select>
        )}
        <Problem text={make.error} />
        <div>
          <CopyLink url={link.url} label="Sign-in link" />
          <LocalLinkWarning url={link.url} aim="To let others in" />
        </div>
        {role !== '' && (
          <p className="text-[13px] text-ink-2">
            The role counts once they open the link. All their other sessions, tokens and links end then. Hand it over outside Parley, as
            somebody else may read along in this account.
          </p>
        )}
      </div>
    </Dialog>
  );
}

interface Props {
  member: Member;
  first: CreatedLink;
  onBack: () => void;
  onClose: () => void;
}
