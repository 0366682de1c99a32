import type { MyConversation } from '@parley/protocol';
import { useState } from 'react';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { mayAct } from '../state/rights.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icons.tsx';
import { Problem } from '../ui/problem.tsx';
import { useDialogs } from './context.ts';

export function BrowseChannels({ onClose }: { onClose: () => void }) {
  const dialogs = useDialogs();
  const me = useMe();
  const conversations = useSelect((state) => state.conversations);
  const [filter, setFilter] = useState('');
  const { client, refreshConversation } = useWorkspace();
  const { act, busy, error } = useAction(async (channel: MyConversation) => {
    if (!channel.joined) {
      await client.call('joinConversation', { params: { conversationId: channel.id } });
      await refreshConversation(channel.id);
    }
    onClose();
    navigate(conversationPath(channel.id));
  });
  const look = (channel: MyConversation) => {
    onClose();
    navigate(conversationPath(channel.id));
  };
  const wanted = filter.trim().toLowerCase();
  const channels = Object.values(conversations)
    .filter((item) => item.kind === 'channel' && `${item.name} ${item.topic}`.toLowerCase().includes(wanted))
    .sort((a, b) => Number(a.archivedAt !== null) - Number(b.archivedAt !== null) || (a.name ?? '').localeCompare(b.name ?? ''));
  return (
    <Dialog
      wide
      title="Channels"
      onClose={onClose}
      footer={
        mayAct('channel.create', me) && (
          <Button icon="plus" onClick={() => dialogs.open('create-channel')}>
            Create a channel
          </Button>
        )
      }
    >
      <input
        className="field mb-3"
        placeholder="Find a channel"
        aria-label="Find a channel"
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <Problem text={error} />
      <ul className="-mx-2">
        {channels.map((channel) => (
          <li key={channel.id} className="flex items-center gap-3 rounded-lg px-2 py-2 hover:bg-hover">
            <button type="button" onClick={() => look(channel)} className="flex min-w-0 flex-1 items-center gap-3 rounded text-left">
              <Icon name={channel.visibility === 'private' ? 'lock' : 'hash'} className="text-ink-3" />
              <span className="min-w-0">
                <span className="block truncate font-medium">
                  {channel.name}
                  {channel.archivedAt !== null && <span className="ml-2 text-xs font-normal text-ink-3">archived</span>}
                </span>
                {channel.topic && <span className="block truncate text-[13px] text-ink-2">{channel.topic}</span>}
              </span>
            </button>
            {channel.archivedAt === null && (
              <Button disabled={busy} onClick={() => act(channel)} className="min-h-8 px-3">
                {channel.joined ? 'Open' : 'Join'}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {channels.length === 0 && <p className="py-6 text-center text-sm text-ink-3">No channel matches.</p>}
    </Dialog>
  );
}
