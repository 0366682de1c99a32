import type { MyConversation } from '@parley/protocol';
import { useState } from 'react';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { navigate } from '../lib/router.ts';
import { errorText } from '../lib/error-text.ts';
import { useMe, useWorkspace } from '../state/context.ts';
import { mayIn } from '../state/rights.ts';
import { IconButton } from '../ui/button.tsx';
import { MenuItem, MenuLine, MenuTitle } from '../ui/menu.tsx';
import { Popover } from '../ui/popover.tsx';
import { toast } from '../ui/toast.tsx';

const EditChannelDialog = lazyComponent(async () => (await import('../dialogs/edit-channel.tsx')).EditChannelDialog);

const levels = [
  ['all', 'Every message'],
  ['mentions', 'Only mentions'],
  ['none', 'Nothing (mute)'],
] as const;

export function ConversationMenu({ conversation }: { conversation: MyConversation }) {
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
      toast(errorText(error), 'danger');
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
                      Channel settings
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
