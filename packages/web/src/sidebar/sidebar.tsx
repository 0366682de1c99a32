import { isOpen } from '@parley/core';
import type { MyConversation } from '@parley/protocol';
import { useMemo } from 'react';
import { useDialogs } from '../dialogs/context.ts';
import { followLink, peerPath, useRoute, workPath } from '../lib/router.ts';
import { useMe, useSelect } from '../state/context.ts';
import { titleOf } from '../state/names.ts';
import { mayAct, overseesAgents } from '../state/rights.ts';
import { waitingFor } from '../state/work.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon, Logo } from '../ui/icons.tsx';
import type { IconName } from '../ui/icons.tsx';
import { ConversationLink } from './conversation-link.tsx';
import { ProfileMenu } from './profile-menu.tsx';

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent);

export function Sidebar({ onNavigate }: { onNavigate?: () => void }) {
  const dialogs = useDialogs();
  const workspace = useSelect((state) => state.workspace);
  const me = useMe();
  const { channels, dms } = useMine();
  const route = useRoute();
  const here = useSelect((state) => {
    if (route.page !== 'conversation') return null;
    return state.conversations[route.conversationId]?.parentId ?? route.conversationId;
  });
  const oversees = useSelect((state) => overseesAgents(state));
  const mayCreate = mayAct('channel.create', me);
  const list = (items: MyConversation[]) =>
    items.map((item) => (
      <li key={item.id}>
        <ConversationLink conversation={item} current={item.id === here} onNavigate={onNavigate} />
      </li>
    ));
  return (
    <nav aria-label="Workspace" className="flex h-full flex-col bg-sunken">
      <div className="flex h-14 shrink-0 items-center gap-2.5 px-4">
        <Logo size={24} />
        <span className="min-w-0 flex-1 truncate font-semibold tracking-tight">{workspace}</span>
      </div>
      <div className="px-3 pb-2">
        <button
          type="button"
          onClick={() => dialogs.open('search')}
          className="flex h-9 w-full items-center gap-2 rounded-lg border border-line bg-canvas px-2.5 text-sm text-ink-3 transition-colors hover:border-line-strong hover:text-ink-2"
        >
          <Icon name="search" size={16} />
          <span className="flex-1 text-left">Search</span>
          <kbd className="font-sans text-xs">{isMac ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
        <Section title="Channels" action={mayCreate ? { label: 'Create a channel', run: () => dialogs.open('create-channel') } : undefined}>
          {list(channels)}
          <li>
            <SidebarButton icon="compass" onClick={() => dialogs.open('browse')}>
              Browse channels
            </SidebarButton>
          </li>
        </Section>
        <Section title="Direct messages" action={{ label: 'Start a direct message', run: () => dialogs.open('start-dm') }}>
          {list(dms)}
          {dms.length === 0 && (
            <li>
              <SidebarButton icon="plus" onClick={() => dialogs.open('start-dm')}>
                Message someone
              </SidebarButton>
            </li>
          )}
        </Section>
      </div>
      <div className="shrink-0 space-y-px border-t border-line p-2">
        <InboxButton />
        <PageLink icon="handshake" href={peerPath()} current={route.page === 'peer'} onNavigate={onNavigate}>
          Your peer
        </PageLink>
        <WorkLink current={route.page === 'work'} onNavigate={onNavigate} />
        {mayAct('member.invite', me) && (
          <SidebarButton icon="invite" onClick={() => dialogs.open('invite')}>
            Invite people
          </SidebarButton>
        )}
        <SidebarButton icon="people" onClick={() => dialogs.open('people')}>
          Members
        </SidebarButton>
        {oversees && (
          <SidebarButton icon="thread" onClick={() => dialogs.open('agent-dms')}>
            Agents’ conversations
          </SidebarButton>
        )}
        <ProfileMenu />
      </div>
    </nav>
  );
}

/** Channels by name; DMs by who spoke last. */
function useMine() {
  const conversations = useSelect((state) => state.conversations);
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  return useMemo(() => {
    const mine = Object.values(conversations).filter((item) => item.joined && item.archivedAt === null);
    const byName = (a: MyConversation, b: MyConversation) => titleOf(a, { members, myId }).localeCompare(titleOf(b, { members, myId }));
    return {
      channels: mine.filter((item) => item.kind === 'channel').sort(byName),
      dms: mine.filter((item) => item.kind === 'dm').sort((a, b) => b.lastSeq - a.lastSeq || byName(a, b)),
    };
  }, [conversations, members, myId]);
}

/** There only while something waits for one, or one waits for something: an empty inbox asks for nothing. */
function InboxButton() {
  const dialogs = useDialogs();
  const count = useSelect(waitingFor);
  const waits = useSelect((state) => state.owed.waiting.length > 0);
  if (count === 0 && !waits) return null;
  return (
    <SidebarButton icon="bell" onClick={() => dialogs.open('inbox')}>
      {count === 0 ? (
        <span className="flex-1">You wait for others</span>
      ) : (
        <>
          <span className="flex-1 font-semibold text-ink">Waiting for you</span>
          <span className="min-w-5 rounded-full bg-accent px-1.5 text-center text-[11.5px] leading-5 font-semibold text-on-accent tabular-nums">
            {count}
          </span>
        </>
      )}
    </SidebarButton>
  );
}

/** All that agents are at work on; with a count, so that it is never out of sight. */
function WorkLink({ current, onNavigate }: { current: boolean; onNavigate: (() => void) | undefined }) {
  const open = useSelect((state) => Object.values(state.tasks).filter((task) => isOpen(task.state)).length);
  return (
    <PageLink icon="tasks" href={workPath()} current={current} onNavigate={onNavigate}>
      <span className="flex-1">Work</span>
      {open > 0 && (
        <span aria-label={`${open} open`} className="text-xs tabular-nums">
          {open}
        </span>
      )}
    </PageLink>
  );
}

interface PageLinkProps {
  icon: IconName;
  href: string;
  current: boolean;
  onNavigate: (() => void) | undefined;
  children: React.ReactNode;
}

const PageLink = ({ icon, href, current, onNavigate, children }: PageLinkProps) => (
  <a
    href={href}
    onClick={(event) => {
      followLink(event);
      onNavigate?.();
    }}
    aria-current={current ? 'page' : undefined}
    className={`flex h-8 w-full items-center gap-2.5 rounded-lg px-2.5 text-[14.5px] transition-colors ${current ? 'bg-accent-soft text-accent-ink forced-colors:outline-2 forced-colors:-outline-offset-2' : 'text-ink-2 hover:bg-hover hover:text-ink'}`}
  >
    <Icon name={icon} size={17} />
    {children}
  </a>
);

interface SectionProps {
  title: string;
  action?: { label: string; run: () => void } | undefined;
  children: React.ReactNode;
}

function Section({ title, action, children }: SectionProps) {
  return (
    <section aria-label={title} className="mt-3">
      <div className="flex h-7 items-center justify-between pr-1 pl-2.5">
        <h2 className="text-xs font-medium text-ink-3">{title}</h2>
        {action && <IconButton small icon="plus" label={action.label} onClick={action.run} />}
      </div>
      <ul className="mt-0.5 space-y-px">{children}</ul>
    </section>
  );
}

function SidebarButton({ icon, onClick, children }: { icon: IconName; onClick: () => void; children: React.ReactNode }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="flex h-8 w-full items-center gap-2.5 rounded-lg px-2.5 text-left text-[14.5px] text-ink-2 transition-colors hover:bg-hover hover:text-ink"
    >
      <Icon name={icon} size={17} />
      {children}
    </button>
  );
}
