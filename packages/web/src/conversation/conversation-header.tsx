import { isOpen } from '@parley/core';
import type { Member, MyConversation } from '@parley/protocol';
import { useDialogs } from '../dialogs/context.ts';
import { useNarrow } from '../lib/use-media.ts';
import { useNow } from '../lib/use-now.ts';
import { activityWords } from '../tasks/task-words.ts';
import { ConversationMenu } from './conversation-menu.tsx';
import { MenuButton } from '../sidebar/menu-button.tsx';
import { useSelect } from '../state/context.ts';
import { othersIn } from '../state/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';

interface Props {
  conversation: MyConversation;
  title: string;
  /** The panel that stands open beside it. */
  shown: string | null;
  onShow: (panel: 'members' | 'tasks') => void;
}

export function ConversationHeader({ conversation, title, shown, onShow }: Props) {
  const narrow = useNarrow();
  const dialogs = useDialogs();
  const other = useSelect((state) => (conversation.kind === 'dm' ? state.members[othersIn(conversation, state.myId)[0] ?? ''] : undefined));
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-b border-line px-2 sm:px-4">
      <MenuButton here={conversation.id} />
      <div className="flex min-w-0 flex-1 items-center gap-2 sm:pl-1.5">
        {conversation.kind === 'dm' ? (
          <Avatar member={other} size={26} presence />
        ) : (
          <Icon name={conversation.visibility === 'private' ? 'lock' : 'hash'} size={19} className="text-ink-3" />
        )}
        <h1 className="min-w-0 truncate text-base font-semibold tracking-tight">{title}</h1>
        {other?.kind === 'agent' && conversation.joined && conversation.memberIds.length === 2 && <AgentStatus agent={other} />}
        {conversation.floor === 'open' && (
          <span
            className="shrink-0 rounded bg-notice-soft px-1.5 text-[11px] leading-5 font-medium text-notice"
            title="Agents that nobody called may be asked, three at most, in turn"
          >
            open floor
          </span>
        )}
        {conversation.topic && (
          <p
            className="hidden min-w-0 shrink-[9999] truncate border-l border-line pl-2.5 text-sm text-ink-2 sm:block"
            title={conversation.topic}
          >
            {conversation.topic}
          </p>
        )}
      </div>
      {narrow && <IconButton icon="search" label="Search" onClick={() => dialogs.open('search')} />}
      <TasksButton conversation={conversation} shown={shown === 'tasks'} onShow={() => onShow('tasks')} />
      <IconButton
        icon="people"
        label="Members"
        aria-pressed={shown === 'members'}
        onClick={() => onShow('members')}
        className={shown === 'members' ? 'bg-hover text-ink' : ''}
      />
      <ConversationMenu conversation={conversation} />
    </header>
  );
}

/** What it is doing, in words, and the way to more about it. */
function AgentStatus({ agent }: { agent: Member }) {
  const dialogs = useDialogs();
  const record = useSelect((state) => state.agents[agent.id]);
  const tasks = useSelect((state) => state.tasks);
  const now = useNow();
  return (
    <button
      type="button"
      title={`About ^${agent.handle}`}
      onClick={() => dialogs.openAgent(agent.id)}
      className="shrink-0 rounded-full border border-line px-2 text-xs leading-5 text-ink-2 hover:bg-hover"
    >
      {activityWords(record, tasks, now)}
    </button>
  );
}

/** With a count of the open ones, so that work going on is never out of sight. */
function TasksButton({ conversation, shown, onShow }: { conversation: MyConversation; shown: boolean; onShow: () => void }) {
  const open = useSelect(
    (state) => Object.values(state.tasks).filter((task) => task.conversationId === conversation.id && isOpen(task.state)).length,
  );
  return (
    <span className="relative">
      <IconButton
        icon="tasks"
        label={open === 0 ? 'Tasks' : `Tasks, ${open} open`}
        aria-pressed={shown}
        onClick={onShow}
        className={shown ? 'bg-hover text-ink' : ''}
      />
      {open > 0 && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute top-0 right-0 min-w-4 rounded-full bg-accent px-1 text-center text-[10.5px] leading-4 font-semibold text-on-accent tabular-nums"
        >
          {open}
        </span>
      )}
    </span>
  );
}
