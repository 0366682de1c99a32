import type { MyConversation } from '@parley/protocol';
import { conversationPath, followLink } from '../lib/router.ts';
import { useSelect } from '../state/context.ts';
import { othersIn, titleOf } from '../state/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon } from '../ui/icons.tsx';

interface Props {
  conversation: MyConversation;
  current: boolean;
  onNavigate?: (() => void) | undefined;
}

export function ConversationLink({ conversation, current, onNavigate }: Props) {
  const title = useSelect((state) => titleOf(conversation, state));
  const other = useSelect((state) => (conversation.kind === 'dm' ? state.members[othersIn(conversation, state.myId)[0] ?? ''] : undefined));
  const muted = conversation.notify === 'none';
  const unread = conversation.unread > 0 && !muted;
  const count = conversation.unread > 99 ? '99+' : String(conversation.unread);
  const tone = current
    ? 'bg-accent-soft text-accent-ink forced-colors:outline-2 forced-colors:-outline-offset-2'
    : unread
      ? 'text-ink hover:bg-hover'
      : 'text-ink-2 hover:bg-hover hover:text-ink';
  return (
    <a
      href={conversationPath(conversation.id)}
      onClick={(event) => {
        followLink(event);
        onNavigate?.();
      }}
      aria-current={current ? 'page' : undefined}
      className={`flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-[14.5px] transition-colors ${tone} ${unread ? 'font-semibold' : ''} ${muted ? 'opacity-60' : ''}`}
    >
      {conversation.kind === 'dm' ? (
        <Avatar member={other} size={20} presence />
      ) : (
        <Icon name={conversation.visibility === 'private' ? 'lock' : 'hash'} size={17} className="opacity-75" />
      )}
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {unread && conversation.notify === 'all' && (
        <span
          aria-label={`${count} unread`}
          className="min-w-5 rounded-full bg-accent px-1.5 text-center text-[11.5px] leading-5 font-semibold text-on-accent tabular-nums"
        >
          {count}
        </span>
      )}
    </a>
  );
}
