import { noTasks, wokenWords, type WokenWords } from '@parley/core';
import type { Chain } from '@parley/protocol';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { followLink, workPath } from '../lib/router.ts';
import { MenuButton } from '../sidebar/menu-button.tsx';
import { useSelect, useWorkspace } from '../state/context.ts';
import { nameOf, titleOf } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { withHandles } from '../ui/handles.tsx';
import { WholeChain } from './chain-view.tsx';
import { chainsFor, isHidden } from './task-tree.ts';
import type { WorkFilter } from './task-tree.ts';
import { WorkFilters } from './work-filters.tsx';

const everything: WorkFilter = { state: 'open', agentId: '', conversationId: '' };

/** All that agents are at work on, as far as one may see it; with `chainId`, one chain of it. */
export function WorkPage({ chainId }: { chainId: string | null }) {
  const [filter, setFilter] = useState(everything);
  const { status, error, retry } = useWork(filter, chainId);
  const chains = useShown(filter, chainId);
  const woken = useWoken(filter);
  return (
    <main className="flex min-h-0 min-w-0 flex-1 flex-col">
      <header className="flex min-h-14 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-2 py-2 sm:px-5">
        <div className="flex min-w-0 flex-1 items-center gap-2">
          <MenuButton />
          <h1 className="text-base font-semibold tracking-tight">{chainId === null ? 'Work' : 'One chain of work'}</h1>
          {chainId !== null && (
            <a href={workPath()} onClick={followLink} className="rounded text-sm text-accent-ink hover:underline">
              All work
            </a>
          )}
        </div>
        {chainId === null && <WorkFilters filter={filter} onChange={setFilter} />}
      </header>
      <div className="min-h-0 flex-1 overflow-y-auto px-3 py-4 sm:px-5" aria-busy={status === 'loading'}>
        <div className="mx-auto max-w-3xl">
          {status === 'failed' && (
            <p role="alert" className="mb-3 flex flex-wrap items-center gap-2 rounded-lg bg-danger-soft px-3.5 py-2 text-sm text-danger">
              {error}
              <Button onClick={retry} className="min-h-8">
                Try again
              </Button>
            </p>
          )}
          {chains.length > 0 && chainId === null && woken && <Woken words={woken} />}
          {chains.length > 0 && (
            <ul aria-label="Chains" className="space-y-3">
              {chains.map((chain) => (
                <li key={chain.id} data-chain={chain.id} className="rounded-xl border border-line px-3 py-2.5 sm:px-4">
                  <Heading chain={chain} />
                  <WholeChain chain={chain} />
                </li>
              ))}
            </ul>
          )}
          {chains.length === 0 && status === 'loading' && <p className="py-10 text-center text-sm text-ink-3">Loading…</p>}
          {chains.length === 0 && status === 'ready' && (
            <Empty filter={filter} woken={woken} onAll={() => setFilter({ ...everything, state: 'all' })} />
          )}
        </div>
      </div>
    </main>
  );
}

/** Fetches what fits, and again after the connection was lost; from then on it is kept current. */
function useWork(filter: WorkFilter, chainId: string | null) {
  const { chains, refreshConversation, store } = useWorkspace();
  const live = useSelect((state) => state.connection === 'live');
  const [round, setRound] = useState(0);
  const [result, setResult] = useState<{ status: 'loading' | 'ready' | 'failed'; error: string }>({ status: 'loading', error: '' });
  useEffect(() => chains.watch(), [chains]);
  const asked = useMemo(() => ({ ...filter, chainId, live, round }), [filter, chainId, live, round]);
  useEffect(() => {
    let left = false;
    const { state, agentId, conversationId, chainId: one } = asked;
    const load = async () => {
      try {
        if (one !== null) await chains.load(one);
        else await chains.list({ state, limit: 100, ...(agentId && { agentId }), ...(conversationId && { conversationId }) });
        if (!left) setResult({ status: 'ready', error: '' });
      } catch (error) {
        if (!left) setResult({ status: 'failed', error: errorText(error) });
      }
    };
    void load();
    return () => {
      left = true;
    };
  }, [chains, asked]);
  const known = useSelect((state) => state.chains);
  useEffect(() => {
    // Threads are not in the list of conversations. What agents say among themselves is not looked at only to be named.
    const steps = Object.values(known).flatMap((chain) => chain.steps.flatMap((step) => (isHidden(step) ? [] : step)));
    const unknown = steps.filter((step) => !step.addressedBy.startsWith('agent_') && !store.get().conversations[step.conversationId]);
    for (const id of new Set(unknown.map((step) => step.conversationId))) refreshConversation(id).catch(() => {});
  }, [known, store, refreshConversation]);
  const retry = useCallback(() => {
    setResult({ status: 'loading', error: '' });
    setRound((before) => before + 1);
  }, []);
  return { ...result, retry };
}

function useShown(filter: WorkFilter, chainId: string | null): Chain[] {
  const chains = useSelect((state) => state.chains);
  const conversations = useSelect((state) => state.conversations);
  return useMemo(() => {
    if (chainId !== null) return chains[chainId] ? [chains[chainId]] : [];
    return chainsFor(chains, filter, (id) => conversations[id]?.parentId ?? id);
  }, [chains, conversations, filter, chainId]);
}

/** Who began it, and where. */
function Heading({ chain }: { chain: Chain }) {
  const first = chain.steps.find((step) => !isHidden(step));
  const where = first && !isHidden(first) ? first.conversationId : '';
  const mine = useSelect((state) => state.myId === chain.requesterId);
  const who = useSelect((state) => nameOf(state.members[chain.requesterId ?? '']));
  const place = useSelect((state) => {
    const { [where]: here } = state.conversations;
    const home = here?.parentId ? state.conversations[here.parentId] : here;
    if (!home) return null;
    return `${home.kind === 'channel' ? '#' : ''}${titleOf(home, state)}${here === home ? '' : ', in a thread'}`;
  });
  return (
    <h2 className="mb-1 text-xs font-medium text-ink-3">
      For {mine ? 'you' : who}
      {place !== null && ` in ${place}`}
    </h2>
  );
}

/** An agent woken by an event has no task yet, and is in no conversation. It is at work, so the full list has it as well. */
function useWoken({ agentId, conversationId }: WorkFilter): WokenWords | null {
  const agents = useSelect((state) => state.agents);
  const checkpoints = useSelect((state) => state.checkpoints);
  return useMemo(() => {
    if (conversationId !== '') return null;
    const asked = new Set(Object.values(checkpoints).map((one) => one.agentId));
    return wokenWords(
      Object.values(agents).filter(({ id }) => agentId === '' || id === agentId),
      asked,
    );
  }, [agents, checkpoints, agentId, conversationId]);
}

const hintFor = ({ yours }: WokenWords): string =>
  yours ? 'Approvals are under “Waiting for you”.' : 'Work that it delegates shows here.';

const Woken = ({ words }: { words: WokenWords }) => (
  <p className="mb-3 text-sm text-ink-2">
    {withHandles(words.text)} {words.yours && hintFor(words)}
  </p>
);

function Empty({ filter, woken, onAll }: { filter: WorkFilter; woken: WokenWords | null; onAll: () => void }) {
  const narrowed = filter.agentId !== '' || filter.conversationId !== '';
  // Of those that one may see.
  const ran = useSelect((state) => Object.values(state.agents).some(({ waking }) => waking?.lastRun));
  const hint = narrowed ? 'No work matches these filters.' : 'Call an agent with ^ and its name, and it shows here.';
  const ended = filter.state === 'all' && ran && !narrowed;
  return (
    <div className="py-16 text-center">
      <p className="font-medium">{woken ? withHandles(woken.text) : noTasks[filter.state]}</p>
      <p className="mt-1 text-sm text-ink-2">{woken ? hintFor(woken) : hint}</p>
      {ended && (
        <p className="mt-1 text-sm text-ink-2">
          Work that events started without a task is listed by <code>npx parley invocations</code>.
        </p>
      )}
      {filter.state === 'open' && (
        <Button onClick={onAll} className="mt-4">
          Show ended work
        </Button>
      )}
    </div>
  );
}
