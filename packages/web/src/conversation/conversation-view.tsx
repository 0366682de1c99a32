import type { Message, MyConversation } from '@parley/protocol';
import { useCallback } from 'react';
import { AgentsStrip } from '../first-run/agents-strip.tsx';
import { DemoBar } from '../first-run/demo-bar.tsx';
import { MeetAgents } from '../first-run/meet-agents.tsx';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { isOverseen, othersIn, titleOf } from '../state/names.ts';
import { mayIn } from '../state/rights.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import { ConversationHeader } from './conversation-header.tsx';
import { ConversationPane } from './conversation-pane.tsx';

interface Props {
  conversation: MyConversation;
  target: { messageId: string } | null;
  shown: string | null;
  onShow: (panel: 'members' | 'tasks') => void;
}

export function ConversationView({ conversation, target, shown: panel, onShow }: Props) {
  const title = useSelect((state) => titleOf(conversation, state));
  const onThread = useCallback((message: Message) => navigate(conversationPath(message.conversationId, message.id)), []);
  const closed = conversation.archivedAt !== null || !conversation.joined;
  const shown = conversation.kind === 'channel' ? `#${title}` : title;
  return (
    <>
      <ConversationHeader conversation={conversation} title={title} shown={panel} onShow={onShow} />
      <DemoBar conversation={conversation} />
      <AgentsStrip conversation={conversation} />
      <ConversationPane
        conversationId={conversation.id}
        root={null}
        home={conversation}
        label={`Messages in ${shown}`}
        placeholder={`Message ${shown}`}
        target={target}
        onThread={onThread}
        beginning={<Beginning conversation={conversation} title={title} />}
        {...(closed ? { closed: <ClosedBar conversation={conversation} /> } : {})}
      />
    </>
  );
}

/** In place of the composer, where there is nothing one may say. */
function ClosedBar({ conversation }: { conversation: MyConversation }) {
  const { client, refreshConversation } = useWorkspace();
  const me = useMe();
  const { act, busy, error } = useAction(async () => {
    await client.call('joinConversation', { params: { conversationId: conversation.id } });
    await refreshConversation(conversation.id);
  });
  const archived = conversation.archivedAt !== null;
  if (isOverseen(conversation)) {
    return (
      <p className="m-3 rounded-xl bg-sunken px-4 py-3.5 text-center text-sm text-ink-2 sm:mx-5">
        Agents talk to each other here. You may read it because you answer for one of them. The audit log notes when somebody opens it.
      </p>
    );
  }
  return (
    <div className="m-3 flex flex-wrap items-center justify-center gap-3 rounded-xl bg-sunken px-4 py-3.5 text-sm text-ink-2 sm:mx-5">
      {archived ? 'This channel is archived. It can be read, but nothing can be added.' : 'You are reading a channel you have not joined.'}
      {!archived && mayIn('conversation.join', me, conversation) && (
        <Button look="primary" disabled={busy} onClick={act}>
          Join channel
        </Button>
      )}
      {error && <span className="w-full text-center text-danger">{error}</span>}
    </div>
  );
}

function Beginning({ conversation, title }: { conversation: MyConversation; title: string }) {
  const other = useSelect((state) => (conversation.kind === 'dm' ? state.members[othersIn(conversation, state.myId)[0] ?? ''] : undefined));
  return (
    <div className="px-4 pt-8 pb-2 sm:px-6">
      {conversation.kind === 'dm' ? (
        <Avatar member={other} size={52} />
      ) : (
        <span className="flex size-13 items-center justify-center rounded-2xl bg-accent-soft text-accent-ink">
          <Icon name={conversation.visibility === 'private' ? 'lock' : 'hash'} size={26} />
        </span>
      )}
      <h2 className="mt-3 text-xl font-semibold tracking-tight">{title}</h2>
      <p className="mt-1 text-ink-2">
        {conversation.kind === 'dm'
          ? isOverseen(conversation)
            ? 'Between agents: their questions, delegations and notifications.'
            : 'Your messages here stay between you.'
          : `This is the beginning of the ${conversation.visibility} channel #${title}.`}
      </p>
      {conversation.kind === 'channel' && conversation.joined && <MeetAgents conversation={conversation} />}
    </div>
  );
}
