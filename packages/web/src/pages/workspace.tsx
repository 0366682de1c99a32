import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ConversationPage } from '../conversation/conversation-page.tsx';
import { DialogsContext } from '../dialogs/context.ts';
import type { DialogName } from '../dialogs/context.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { useNarrow } from '../lib/use-media.ts';
import { recall, remember } from '../lib/local-storage.ts';
import { conversationPath, navigate, useRoute } from '../lib/router.ts';
import { Drawer } from '../sidebar/drawer.tsx';
import { Sidebar } from '../sidebar/sidebar.tsx';
import { useSelect, useWorkspace } from '../state/context.ts';
import type { State } from '../state/model.ts';
import { useDistantNotices } from '../notices/use-distant-notices.ts';
import { useDesktopNotices } from '../notices/use-desktop-notices.ts';
import { titleOf } from '../state/names.ts';
import { ConnectionBanner } from './connection-banner.tsx';
import { StopEverythingBanner } from './stop-everything-banner.tsx';
import { WaitingBanner } from './waiting-banner.tsx';
import { Welcome } from './welcome.tsx';

const AgentCard = lazyComponent(async () => (await import('../agents/agent-card.tsx')).AgentCard);
const DialogHost = lazyComponent(async () => (await import('../dialogs/dialog-host.tsx')).DialogHost);
const PeerPage = lazyComponent(async () => (await import('../peers/peer-page.tsx')).PeerPage);
const WorkPage = lazyComponent(async () => (await import('../tasks/work-page.tsx')).WorkPage);

export function WorkspacePage() {
  const route = useRoute();
  const narrow = useNarrow();
  const [dialog, setDialog] = useState<DialogName | null>(null);
  const [agentId, setAgentId] = useState<string | null>(null);
  const [drawer, setDrawer] = useState(false);
  const content = useRef<HTMLDivElement>(null);
  const close = useCallback(() => setDialog(null), []);
  const open = useCallback((name: DialogName) => {
    setDrawer(false);
    setDialog(name);
  }, []);
  const dialogs = useMemo(() => ({ open, openSidebar: () => setDrawer(true), openAgent: setAgentId }), [open]);
  useLastPlace();
  useTitle();
  useDistantNotices();
  useDesktopNotices();
  useSearchKey(open);

  return (
    <DialogsContext value={dialogs}>
      <a
        href="#content"
        onClick={(event) => {
          event.preventDefault();
          content.current?.focus();
        }}
        className="sr-only rounded-lg bg-raised px-3 py-2 font-medium shadow-pop focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-50"
      >
        Skip to content
      </a>
      <div className="flex h-dvh overflow-hidden">
        {!narrow && (
          <aside className="w-64 shrink-0 border-r border-line xl:w-72">
            <Sidebar />
          </aside>
        )}
        {narrow && drawer && (
          <Drawer onClose={() => setDrawer(false)}>
            <Sidebar onNavigate={() => setDrawer(false)} />
          </Drawer>
        )}
        <div ref={content} id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <ConnectionBanner />
          <StopEverythingBanner />
          <WaitingBanner />
          {route.page === 'conversation' && <ConversationPage route={route} />}
          {route.page === 'work' && <WorkPage chainId={route.chainId} />}
          {route.page === 'peer' && (
            <PeerPage part={route.part} threadId={route.threadId} spaceId={route.spaceId} isArranging={route.isArranging} />
          )}
          {route.page === 'home' && <Welcome />}
        </div>
      </div>
      {dialog && <DialogHost name={dialog} onClose={close} />}
      {agentId !== null && (
        <AgentCard
          agentId={agentId}
          onClose={() => setAgentId(null)}
          onLeave={() => {
            setAgentId(null);
            setDialog(null);
          }}
        />
      )}
    </DialogsContext>
  );
}

/** The bare address goes to where one was, or to the first channel there is. */
function useLastPlace() {
  const route = useRoute();
  const { store } = useWorkspace();
  useEffect(() => {
    if (route.page === 'conversation') remember('place', route.conversationId);
    if (route.page !== 'home') return;
    const { conversations } = store.get();
    const last = conversations[recall('place') ?? ''];
    const first = Object.values(conversations)
      .filter((conversation) => conversation.kind === 'channel' && conversation.joined && conversation.archivedAt === null)
      .sort((a, b) => a.createdAt - b.createdAt)[0];
    const to = last?.joined && last.archivedAt === null ? last : first;
    if (to) navigate(conversationPath(to.id), { replace: true });
  }, [route, store]);
}

function titleFor(state: State, conversationId: string | null, page: string): string {
  const conversation = conversationId === null ? undefined : state.conversations[conversationId];
  const waiting = Object.values(state.conversations).reduce(
    (sum, each) => sum + (each.joined && each.kind !== 'thread' && each.notify === 'all' ? each.unread : 0),
    0,
  );
  const name =
    page === 'work'
      ? 'Work · '
      : page === 'peer'
        ? 'Your peer · '
        : conversation
          ? `${conversation.kind === 'channel' ? '#' : ''}${titleOf(conversation, state)} · `
          : '';
  return `${waiting > 0 ? `(${waiting > 99 ? '99+' : waiting}) ` : ''}${name}${state.workspace}`;
}

function useTitle() {
  const route = useRoute();
  const title = useSelect((state) => titleFor(state, route.page === 'conversation' ? route.conversationId : null, route.page));
  useEffect(() => {
    document.title = title;
  }, [title]);
}

function useSearchKey(open: (name: DialogName) => void) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      open('search');
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open]);
}
