import type { Client } from '@parley/sdk';
import { useState } from 'react';
import { followLink, navigate, type PageRoute, type PeerPart, peerParts, peerPath } from '../lib/router.ts';
import { MenuButton } from '../sidebar/menu-button.tsx';
import { Button } from '../ui/button.tsx';
import { Arrange } from './negotiations/arrange.tsx';
import { MemoryPart } from './memory/memory-part.tsx';
import { NegotiationList } from './negotiations/negotiation-list.tsx';
import { NegotiationView } from './negotiations/negotiation-view.tsx';
import { PeoplePart } from './people/people-part.tsx';
import { FirstContact } from './sharing/first-contact.tsx';
import { FailedRead } from './failed-read.tsx';
import { SpaceList } from './spaces/space-list.tsx';
import { SpaceView } from './spaces/space-view.tsx';
import { SharingPart } from './sharing/sharing-part.tsx';
import { useRead } from './use-read.ts';

const titles: Readonly<Record<PeerPart, string>> = {
  negotiations: 'Negotiations',
  spaces: 'Spaces',
  people: 'People',
  sharing: 'Sharing',
  memory: 'Memory',
};

const loadUnseen = async (client: Client) =>
  (await client.call('listSpaces')).spaces.filter(({ unseen, isNew }) => isNew || unseen > 0).length;
const loadMe = (client: Client) => client.call('getPeer');

/** One's own peer: what it negotiates and shares in spaces, with whom, what it may share, and what it remembers. */
export function PeerPage({ part, threadId, spaceId, isArranging }: Omit<Extract<PageRoute, { page: 'peer' }>, 'page'>) {
  const me = useRead(loadMe);
  const unseen = useRead(loadUnseen).data ?? 0;
  const [arranging, setArranging] = useState(false);
  // Each part reads from the same peer, and would say the same once more.
  const isMissing = me.data === undefined && me.error !== null;
  const close = () => {
    setArranging(false);
    if (isArranging) navigate(peerPath(), { replace: true });
  };
  return (
    <main className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-2 py-2 sm:px-5">
        <div className="flex items-center gap-2">
          <MenuButton />
          <h1 className="text-base font-semibold tracking-tight">Your peer</h1>
        </div>
        <nav aria-label="Your peer" className="order-last flex w-full min-w-0 gap-1 overflow-x-auto lg:order-none lg:w-auto lg:flex-1">
          {peerParts.map((one) => (
            <a
              key={one}
              href={peerPath(one)}
              onClick={followLink}
              aria-current={one === part ? 'page' : undefined}
              className={`flex min-h-8 items-center rounded-lg px-2.5 text-sm ${one === part ? 'bg-accent-soft font-medium text-accent-ink forced-colors:outline-2 forced-colors:-outline-offset-2' : 'text-ink-2 hover:bg-hover hover:text-ink'}`}
            >
              {titles[one]}
              {one === 'spaces' && unseen > 0 && (
                <span className="ml-1.5 rounded-full bg-notice-soft px-1.5 text-xs font-medium text-notice tabular-nums">
                  {unseen}
                  <span className="sr-only"> new or with changes</span>
                </span>
              )}
            </a>
          ))}
        </nav>
        <Button look="primary" icon="plus" onClick={() => setArranging(true)} className="ml-auto">
          Arrange something
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 py-4 sm:px-5">
        <div className="mx-auto max-w-3xl">
          {isMissing ? (
            <FailedRead read={me} />
          ) : (
            <>
              {me.data?.problem && (
                <p role="alert" className="mb-3 rounded-lg bg-notice-soft px-3.5 py-2.5 text-sm text-notice">
                  {me.data.problem}
                </p>
              )}
              {me.data && <FirstContact folded={threadId !== null || spaceId !== null || me.data.address !== null} />}
              {part === 'negotiations' && threadId !== null && <NegotiationView key={threadId} threadId={threadId} />}
              {part === 'negotiations' && threadId === null && <NegotiationList />}
              {part === 'spaces' && spaceId !== null && <SpaceView key={spaceId} spaceId={spaceId} />}
              {part === 'spaces' && spaceId === null && <SpaceList />}
              {part === 'people' && me.data && <PeoplePart me={me.data} onMade={me.replace} />}
              {part === 'sharing' && <SharingPart />}
              {part === 'memory' && <MemoryPart />}
            </>
          )}
        </div>
      </div>
      {(arranging || isArranging) && <Arrange onClose={close} />}
    </main>
  );
}
