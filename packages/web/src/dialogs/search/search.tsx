import type { Message } from '@parley/protocol';
import { ParleyError } from '@parley/sdk';
import { useEffect, useMemo, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { conversationPath, messagePath, navigate } from '../../lib/router.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { titleOf } from '../../state/names.ts';
import { useModal } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { FoundMessage, FoundPlace } from './search-results.tsx';

const pauseMs = 160;

/** One box for both: where to go, and what was said. */
export function SearchDialog({ onClose }: { onClose: () => void }) {
  const ref = useModal(onClose);
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const places = usePlaces(query);
  const { found, busy, failed } = useMessages(query.trim());
  const paths = [
    ...places.map((place) => conversationPath(place.id)),
    ...found.map((message) => messagePath(message.conversationId, message.id)),
  ];

  const go = (path: string | undefined) => {
    if (!path) return;
    onClose();
    navigate(path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setActive((at) => Math.min(paths.length - 1, at + 1));
    else if (event.key === 'ArrowUp') setActive((at) => Math.max(0, at - 1));
    else if (event.key === 'Enter') go(paths[active]);
    else return;
    event.preventDefault();
  };
  const option = (index: number) => ({
    id: `found-${index}`,
    active: index === active,
    onPick: () => go(paths[index]),
    onPoint: () => setActive(index),
  });
  return (
    <dialog
      ref={ref}
      aria-label="Search"
      onClose={onClose}
      className="mx-auto mt-[max(0.75rem,10dvh)] mb-auto flex max-h-[75dvh] w-[calc(100%-1.5rem)] max-w-xl flex-col overflow-hidden rounded-2xl bg-raised text-ink shadow-pop"
    >
      <div className="flex items-center gap-3 border-b border-line px-4">
        <Icon name="search" className="text-ink-3" />
        <input
          role="combobox"
          aria-label="Search messages, channels and people"
          aria-expanded={paths.length > 0}
          aria-controls="found"
          aria-activedescendant={paths.length > 0 ? `found-${active}` : undefined}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
          placeholder="Search messages, channels, people"
          maxLength={200}
          autoFocus
          autoComplete="off"
          spellCheck={false}
          className="h-13 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3"
        />
        <button type="button" onClick={onClose} className="rounded border border-line px-1.5 py-0.5 text-xs text-ink-3 hover:text-ink">
          Esc
        </button>
      </div>
      {/* The list of a combobox: no tag has that role and takes such rows. */}
      {/* oxlint-disable-next-line jsx-a11y/prefer-tag-over-role */}
      <div id="found" role="listbox" aria-label="Results" className="min-h-0 flex-1 overflow-y-auto p-2">
        {places.length > 0 && <Heading>Go to</Heading>}
        {places.map((place, index) => (
          <FoundPlace key={place.id} place={place} {...option(index)} />
        ))}
        {found.length > 0 && <Heading>Messages</Heading>}
        {found.map((message, index) => (
          <FoundMessage key={message.id} message={message} query={query} {...option(places.length + index)} />
        ))}
        {paths.length === 0 && (
          <p className="px-3 py-6 text-center text-sm text-ink-3">
            {failed ?? (busy ? 'Searching…' : query.trim() === '' ? 'Type to search everything you can read.' : 'Nothing found.')}
          </p>
        )}
      </div>
    </dialog>
  );
}

const Heading = ({ children }: { children: string }) => <div className="px-2.5 pt-2 pb-1 text-xs font-medium text-ink-3">{children}</div>;

function usePlaces(query: string) {
  const conversations = useSelect((state) => state.conversations);
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  return useMemo(() => {
    const wanted = query.trim().toLowerCase().replace(/^[#@]/, '');
    return Object.values(conversations)
      .filter((item) => item.kind !== 'thread' && item.archivedAt === null)
      .map((item) => ({ item, title: titleOf(item, { members, myId }).toLowerCase() }))
      .filter(({ title }) => title.includes(wanted))
      .sort((a, b) => Number(b.title.startsWith(wanted)) - Number(a.title.startsWith(wanted)) || b.item.lastSeq - a.item.lastSeq)
      .slice(0, wanted === '' ? 6 : 4)
      .map(({ item }) => item);
  }, [conversations, members, myId, query]);
}

function useMessages(query: string) {
  const { client, store, refreshConversation } = useWorkspace();
  const [result, setResult] = useState<{ query: string; found: Message[]; failed: string | null }>({ query: '', found: [], failed: null });
  useEffect(() => {
    if (query === '') return;
    const stop = new AbortController();
    const run = async () => {
      try {
        const page = await client.call('search', { query: { q: query } }, { signal: stop.signal });
        setResult({ query, found: page.messages, failed: null });
        // Threads nobody opened here are not known yet, and only they know where they hang. Without an answer the name is left out.
        const places = new Set(page.messages.map((message) => message.conversationId));
        for (const id of places) if (!store.get().conversations[id]) refreshConversation(id).catch(() => undefined);
      } catch (error) {
        if (!stop.signal.aborted)
          setResult({ query, found: [], failed: error instanceof ParleyError ? error.message : 'Search is unavailable right now.' });
      }
    };
    const timer = setTimeout(() => void run(), pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [client, store, refreshConversation, query]);
  if (query === '') return { found: [], failed: null, busy: false };
  return { found: result.found, failed: result.failed, busy: result.query !== query };
}
