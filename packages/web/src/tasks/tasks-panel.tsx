import type { MyConversation, Task } from '@parley/protocol';
import { useMemo } from 'react';
import { PanelHeader } from '../conversation/panel-header.tsx';
import { useSelect } from '../state/context.ts';
import { titleOf } from '../state/names.ts';
import { ChainView } from './chain-view.tsx';
import { chainsIn, isRunning } from './task-tree.ts';

const endedShown = 10;

/** What agents do in this conversation and its threads, chain by chain. */
export function TasksPanel({ conversation, onClose }: { conversation: MyConversation; onClose: () => void }) {
  const place = useSelect((state) => `${conversation.kind === 'channel' ? '#' : ''}${titleOf(conversation, state)}`);
  const chains = useChains(conversation);
  const running = chains.filter(isRunning);
  const ended = chains.filter((chain) => !isRunning(chain)).slice(0, endedShown);
  return (
    <>
      <PanelHeader title="Tasks" place={place} onClose={onClose} />
      <div className="min-h-0 flex-1 space-y-5 overflow-y-auto px-4 py-4">
        <Section title="Going on" chains={running} home={conversation}>
          No agent is working here. Call one with ^ and its name.
        </Section>
        {ended.length > 0 && <Section title="Ended" chains={ended} home={conversation} />}
      </div>
    </>
  );
}

interface SectionProps {
  title: string;
  chains: Task[][];
  home: MyConversation;
  /** When there are none. */
  children?: string;
}

function Section({ title, chains, home, children }: SectionProps) {
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-xs font-medium text-ink-3">{title}</h3>
      {chains.length === 0 && <p className="text-sm text-ink-2">{children}</p>}
      <ul className="space-y-2.5">
        {chains.map((chain) => (
          <li key={chain[0]!.chainId} className="rounded-xl border border-line px-3 py-2.5">
            <ChainView tasks={chain} home={home} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function useChains(home: MyConversation): Task[][] {
  const tasks = useSelect((state) => state.tasks);
  const conversations = useSelect((state) => state.conversations);
  const messages = useSelect((state) => state.timelines[home.id]?.messages);
  return useMemo(() => {
    const threads = new Set(Object.values(messages ?? {}).map((message) => message.threadId));
    return chainsIn(tasks, (id) => id === home.id || conversations[id]?.parentId === home.id || threads.has(id));
  }, [tasks, conversations, messages, home.id]);
}
