import type { CreatedLink } from '@parley/protocol';
import { useState } from 'react';
import { useRoute } from '../lib/router.ts';
import { fullDate } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { mayAct } from '../state/rights.ts';
import { Button } from '../ui/button.tsx';
import { CopyLink } from '../ui/copy-link.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { LocalLinkWarning } from '../ui/local-link-warning.tsx';
import { Problem } from '../ui/problem.tsx';
import { Select } from '../ui/select.tsx';

const everywhere = '';

export function InviteDialog({ onClose }: { onClose: () => void }) {
  const { client } = useWorkspace();
  const route = useRoute();
  const me = useMe();
  const conversations = useSelect((state) => state.conversations);
  const channels = Object.values(conversations)
    .filter((item) => item.kind === 'channel' && item.joined && item.archivedAt === null)
    .sort((a, b) => (a.name ?? '').localeCompare(b.name ?? ''));
  const here =
    route.page === 'conversation' && channels.some((item) => item.id === route.conversationId) ? route.conversationId : everywhere;
  const [channel, setChannel] = useState(here);
  const [role, setRole] = useState<'member' | 'guest' | 'admin'>('member');
  const [link, setLink] = useState<CreatedLink | null>(null);
  const { act, busy, error } = useAction(async () => {
    setLink(await client.call('createInvitation', { body: { role, ...(channel === everywhere ? {} : { conversationId: channel }) } }));
  });
  if (link) {
    return (
      <Dialog
        title="Invitation link"
        hint="Send it to one person. It works once, so everyone needs their own."
        onClose={onClose}
        footer={
          <>
            <Button onClick={() => setLink(null)}>Invite another</Button>
            <Button onClick={onClose}>Done</Button>
          </>
        }
      >
        <CopyLink url={link.url} label="Invitation link" />
        <p className="mt-3 text-[13px] text-ink-3">Valid until {fullDate(link.expiresAt)}.</p>
        <LocalLinkWarning url={link.url} aim="To invite others" />
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Invite people"
      hint="You get a link that lets one person in."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" onClick={act} disabled={busy}>
            Create link
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Select label="They join as" value={role} onChange={(value) => setRole(value as typeof role)}>
          <option value="member">Member: finds and joins public channels</option>
          <option value="guest">Guest: sees only what they are added to</option>
          {mayAct('member.invite_admin', me) && <option value="admin">Admin: manages members and channels</option>}
        </Select>
        <Select label="And start in" value={channel} onChange={setChannel}>
          <option value={everywhere}>No particular channel</option>
          {channels.map((item) => (
            <option key={item.id} value={item.id}>
              #{item.name}
            </option>
          ))}
        </Select>
        <Problem text={error} />
      </div>
    </Dialog>
  );
}
