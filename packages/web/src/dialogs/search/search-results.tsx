import type { Message, MyConversation } from '@parley/protocol';
import { createElement, Fragment, useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { shortTime } from '../../lib/time.ts';
import { useNow } from '../../lib/use-now.ts';
import { useMember, useSelect } from '../../state/context.ts';
import { nameOf, othersIn, titleOf } from '../../state/names.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icons.tsx';
import { excerpt, wordsOf } from './search-excerpt.ts';

interface OptionProps {
  id: string;
  active: boolean;
  onPick: () => void;
  onPoint: () => void;
}

function Option({ id, active, onPick, onPoint, children }: OptionProps & { children: ReactNode }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) ref.current?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    // The input keeps the focus and speaks for the list (aria-activedescendant), so a key handler here would never run.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      ref={ref}
      id={id}
      // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- a real option cannot hold an avatar and two lines
      role="option"
      tabIndex={-1}
      aria-selected={active}
      onClick={onPick}
      onPointerMove={onPoint}
      className={`flex cursor-pointer gap-3 rounded-lg px-2.5 py-2 ${active ? 'bg-accent-soft' : ''}`}
    >
      {children}
    </div>
  );
}

export function FoundPlace({ place, ...option }: OptionProps & { place: MyConversation }) {
  const title = useSelect((state) => titleOf(place, state));
  const other = useSelect((state) => (place.kind === 'dm' ? state.members[othersIn(place, state.myId)[0] ?? ''] : undefined));
  return (
    <Option {...option}>
      {place.kind === 'dm' ? (
        <Avatar member={other} size={20} />
      ) : (
        <Icon name={place.visibility === 'private' ? 'lock' : 'hash'} className="mt-0.5 text-ink-3" />
      )}
      <span className="min-w-0 flex-1 truncate">{title}</span>
      {!place.joined && <span className="text-[13px] text-ink-3">not joined</span>}
    </Option>
  );
}

export function FoundMessage({ message, query, ...option }: OptionProps & { message: Message; query: string }) {
  const now = useNow();
  const author = useMember(message.authorId);
  const place = useSelect((state) => {
    const conversation = state.conversations[message.conversationId];
    const home = conversation?.kind === 'thread' ? state.conversations[conversation.parentId ?? ''] : conversation;
    if (!home) return 'in a thread';
    return `in ${conversation === home ? '' : 'a thread of '}${home.kind === 'channel' ? '#' : ''}${titleOf(home, state)}`;
  });
  return (
    <Option {...option}>
      <Avatar member={author} size={28} />
      <span className="min-w-0 flex-1">
        <span className="flex items-baseline gap-2 text-[13px] text-ink-3">
          <span className="truncate font-medium text-ink">{nameOf(author)}</span>
          <span className="truncate">{place}</span>
          <time className="ml-auto shrink-0 tabular-nums">{shortTime(message.createdAt, now)}</time>
        </span>
        <span className="line-clamp-2 text-[14.5px] break-words">
          <Marked text={excerpt(message.body ?? '', query)} query={query} />
        </span>
      </span>
    </Option>
  );
}

function Marked({ text, query }: { text: string; query: string }) {
  const words = wordsOf(query);
  if (words.length === 0) return text;
  // Every second part is a hit.
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'giu'));
  return createElement(Fragment, null, ...parts.map(renderPart));
}

function renderPart(part: string, index: number) {
  return index % 2 === 1 ? <mark className="rounded-sm bg-notice-soft text-inherit">{part}</mark> : part;
}
