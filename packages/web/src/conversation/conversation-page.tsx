import type { MyConversation } from '@parley/protocol';
import { ParleyError } from '@parley/sdk';
import { useCallback, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { useWide } from '../lib/use-media.ts';
import { conversationPath, navigate } from '../lib/router.ts';
import type { PageRoute } from '../lib/router.ts';
import { MenuButton } from '../sidebar/menu-button.tsx';
import { useConversation, useWorkspace } from '../state/context.ts';
import { Button } from '../ui/button.tsx';
import { PanelsContext } from './contexts.ts';
import { ThreadPanel } from './thread-panel.tsx';
import { ConversationView } from './conversation-view.tsx';

const MembersPanel = lazyComponent(async () => (await import('./members-panel.tsx')).MembersPanel);
const TasksPanel = lazyComponent(async () => (await import('../tasks/tasks-panel.tsx')).TasksPanel);

type ConversationRoute = PageRoute & { page: 'conversation' };

export function ConversationPage({ route }: { route: ConversationRoute }) {
  const { conversation, error } = useFetched(route.conversationId);
  // A link to a message in a thread opens the conversation around it, with the thread beside.
  const home = useFetched(conversation?.kind === 'thread' ? conversation.parentId : null);
  const target = useMemo(() => (route.messageId ? { messageId: route.messageId } : null), [route]);
  if (error ?? home.error) return <Missing text={(error ?? home.error)!} />;
  if (!conversation) return <main className="flex-1" aria-busy="true" />;
  if (conversation.kind !== 'thread') return <Split home={conversation} target={target} root={route.thread} threadTarget={null} />;
  if (!home.conversation) return <main className="flex-1" aria-busy="true" />;
  return <Split home={home.conversation} target={null} root={conversation.rootMessageId} threadTarget={target} />;
}

/** No conversation has the ID, or the ID is not one of a conversation. */
const isMissing = (error: unknown): boolean => error instanceof ParleyError && ['not_found', 'invalid_request'].includes(error.code);

/** From the state; from the hub when the state does not have it. */
function useFetched(id: string | null) {
  const { refreshConversation } = useWorkspace();
  const conversation = useConversation(id);
  const [failure, setFailure] = useState<{ id: string; text: string } | null>(null);
  const known = conversation !== undefined;
  useEffect(() => {
    if (id === null || known) return;
    let left = false;
    refreshConversation(id).catch((error: unknown) => {
      if (!left) setFailure({ id, text: isMissing(error) ? 'This conversation does not exist, or you may not see it.' : errorText(error) });
    });
    return () => {
      left = true;
    };
  }, [id, known, refreshConversation]);
  return { conversation, error: failure !== null && failure.id === id && !known ? failure.text : null };
}

interface SplitProps {
  home: MyConversation;
  target: { messageId: string } | null;
  root: string | null;
  threadTarget: { messageId: string } | null;
}

type Side = 'members' | 'tasks';

function Split({ home, target, root, threadTarget }: SplitProps) {
  const [side, setSide] = useState<{ of: string; shows: Side } | null>(null);
  const wide = useWide();
  const shown: Side | 'thread' | null = root !== null ? 'thread' : side?.of === home.id ? side.shows : null;
  // Where it does not fit beside the conversation, it stands in its place.
  const Frame = wide ? 'aside' : 'main';
  const closeThread = () => navigate(conversationPath(home.id));
  const close = () => {
    if (root !== null) closeThread();
    setSide(null);
  };
  useEscape(shown !== null, close);
  const inThread = root !== null;
  const open = useCallback(
    (shows: Side) => {
      if (inThread) navigate(conversationPath(home.id));
      setSide({ of: home.id, shows });
    },
    [inThread, home.id],
  );
  // Every message's chips lead there: a new object would draw them all again.
  const panels = useMemo(() => ({ openTasks: () => open('tasks') }), [open]);
  return (
    <PanelsContext value={panels}>
      <div className="flex min-h-0 flex-1">
        <main className={`min-h-0 min-w-0 flex-1 flex-col ${shown !== null && !wide ? 'hidden' : 'flex'}`}>
          <ConversationView
            key={home.id}
            conversation={home}
            target={target}
            shown={shown}
            onShow={(shows) => (shown === shows ? close() : open(shows))}
          />
        </main>
        {shown !== null && (
          <Frame
            aria-label={labels[shown]}
            className={`flex min-h-0 min-w-0 flex-col ${wide ? 'w-[26rem] shrink-0 border-l border-line' : 'flex-1'}`}
          >
            {shown === 'members' && <MembersPanel conversation={home} onClose={close} />}
            {shown === 'tasks' && <TasksPanel conversation={home} onClose={close} />}
            {root !== null && <ThreadPanel key={root} home={home} rootId={root} target={threadTarget} onClose={closeThread} />}
          </Frame>
        )}
      </div>
    </PanelsContext>
  );
}

const labels = { members: 'Members', tasks: 'Tasks', thread: 'Thread' } as const;

/** Closes the panel, unless something above it is what Escape is meant for. */
function useEscape(open: boolean, close: () => void) {
  const onEscape = useEffectEvent(close);
  useEffect(() => {
    if (!open) return;
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open], :popover-open')) onEscape();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
}

function Missing({ text }: { text: string }) {
  return (
    <main className="flex flex-1 flex-col">
      <div className="p-2">
        <MenuButton />
      </div>
      <div className="m-auto max-w-sm px-6 text-center">
        <h1 className="text-lg font-semibold">Nothing to see here</h1>
        <p className="mt-2 mb-5 text-ink-2">{text}</p>
        <Button onClick={() => navigate('/', { replace: true })}>Back to my conversations</Button>
      </div>
    </main>
  );
}
