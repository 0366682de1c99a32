import type { MyConversation } from '@parley/protocol';
import { useState } from 'react';
import { useDialogs } from '../dialogs/context.ts';
import { EditChannelDialog } from '../dialogs/edit-channel.tsx';
import { useNarrow } from '../lib/media.ts';
import { navigate } from '../lib/router.ts';
import { explain } from '../lib/explain.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { othersIn } from '../state/names.ts';
import { mayIn } from '../state/rights.ts';
import { Avatar } from '../ui/avatar.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { MenuItem, MenuLine, MenuTitle } from '../ui/menu.tsx';
import { Popover } from '../ui/popover.tsx';
import { toast } from '../ui/toast.tsx';

interface Props {
  conversation: MyConversation;
  title: string;
  membersShown: boolean;
  onMembers: () => void;
}

export function ConversationHeader({ conversation, title, membersShown, onMembers }: Props) {
  const narrow = useNarrow();
  const dialogs = useDialogs();
  const other = useSelect((state) => (conversation.kind === 'dm' ? state.members[othersIn(conversation, state.myId)[0] ?? ''] : undefined));
  const waiting = useSelect((state) =>
    Object.values(state.conversations).some(
      (each) => each.joined && each.kind !== 'thread' && each.unread > 0 && each.notify !== 'none' && each.id !== conversation.id,
    ),
  );
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-b border-line px-2 sm:px-4">
      {narrow && (
        <span className="relative">
          <IconButton icon="menu" label="Open sidebar" onClick={dialogs.openSidebar} />
          {waiting && <span className="absolute top-1.5 right-1.5 size-2 rounded-full bg-accent" />}
        </span>
      )}
      <div className="flex min-w-0 flex-1 items-center gap-2 sm:pl-1.5">
        {conversation.kind === 'dm' ? (
          <Avatar member={other} size={26} presence />
        ) : (
          <Icon name={conversation.visibility === 'private' ? 'lock' : 'hash'} size={19} className="text-ink-3" />
        )}
        <h1 className="shrink-0 truncate text-base font-semibold tracking-tight">{title}</h1>
        {conversation.topic && (
          <p className="hidden min-w-0 truncate border-l border-line pl-2.5 text-sm text-ink-2 sm:block" title={conversation.topic}>
            {conversation.topic}
          </p>
        )}
      </div>
      {narrow && <IconButton icon="search" label="Search" onClick={() => dialogs.open('search')} />}
      <IconButton
        icon="people"
        label="Members"
        aria-pressed={membersShown}
        onClick={onMembers}
        className={membersShown ? 'bg-hover text-ink' : ''}
      />
      <ConversationMenu conversation={conversation} />
    </header>
  );
}

const levels = [
  ['all', 'Every message'],
  ['mentions', 'Only mentions'],
  ['none', 'Nothing (mute)'],
] as const;

function ConversationMenu({ conversation }: { conversation: MyConversation }) {
  const { client, refreshConversation } = useWorkspace();
  const me = useMe();
  const [editing, setEditing] = useState(false);
  const params = { conversationId: conversation.id };
  const channel = conversation.kind === 'channel';
  const mayEdit = channel && mayIn('conversation.edit', me, conversation);
  const archived = conversation.archivedAt !== null;

  if (!conversation.joined && !mayEdit) return null;

  const attempt = async (run: () => Promise<unknown>) => {
    try {
      await run();
      await refreshConversation(conversation.id).catch(() => {});
    } catch (error) {
      toast(explain(error), 'danger');
    }
  };
  const leave = async () => {
    await client.call('leaveConversation', { params });
    navigate('/');
  };
  return (
    <>
      <Popover
        label="Conversation options"
        className="min-w-56"
        renderTrigger={(props) => (
          <IconButton
            icon={conversation.joined && conversation.notify === 'none' ? 'bellOff' : 'more'}
            label="Conversation options"
            {...props}
          />
        )}
      >
        {(close) => {
          const pick = (run: () => unknown) => () => {
            close();
            void run();
          };
          return (
            <>
              {conversation.joined && (
                <>
                  <MenuTitle>Notify me about</MenuTitle>
                  {levels.map(([level, text]) => (
                    <MenuItem
                      key={level}
                      checked={conversation.notify === level}
                      onSelect={pick(() => attempt(() => client.call('setNotify', { params, body: { level } })))}
                    >
                      {text}
                    </MenuItem>
                  ))}
                </>
              )}
              {mayEdit && (
                <>
                  <MenuLine />
                  {!archived && (
                    <MenuItem icon="edit" onSelect={pick(() => setEditing(true))}>
                      Name and topic
                    </MenuItem>
                  )}
                  <MenuItem
                    icon="archive"
                    onSelect={pick(() => attempt(() => client.call('editConversation', { params, body: { archived: !archived } })))}
                  >
                    {archived ? 'Take out of the archive' : 'Archive channel'}
                  </MenuItem>
                </>
              )}
              {channel && conversation.joined && mayIn('conversation.leave', me, conversation) && (
                <>
                  <MenuLine />
                  <MenuItem icon="leave" onSelect={pick(() => attempt(leave))}>
                    Leave channel
                  </MenuItem>
                </>
              )}
            </>
          );
        }}
      </Popover>
      {editing && <EditChannelDialog channel={conversation} onClose={() => setEditing(false)} />}
    </>
  );
}
