import type { Obligation } from '@parley/protocol';
import { useEffect, useMemo } from 'react';
import type { ReactNode } from 'react';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { toAnswer } from '../../state/work.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { AwaitedAnswer, OwedAnswer } from './obligation-items.tsx';
import { useKeptCheckpoints } from './use-kept-checkpoints.ts';
import { useSettledButton } from './use-settled-button.ts';
import { CheckpointItem } from './checkpoint-item.tsx';

/** What waits for one, in one place and one tap each (SYS-1). */
export function InboxDialog({ onClose }: { onClose: () => void }) {
  const checkpoints = useSelect((state) => state.checkpoints);
  const { waiting: awaited } = useSelect((state) => state.owed);
  const owe = useOwe();
  const { refreshOwed, refreshWaiting } = useWorkspace();
  useEffect(() => {
    // No fact reports changes of obligations, nor the effect of an approval; without the answer the former state is shown.
    refreshOwed().catch(() => {});
    refreshWaiting().catch(() => {});
  }, [refreshOwed, refreshWaiting]);
  const kept = useKeptCheckpoints(checkpoints);
  const { ref, still } = useSettledButton<HTMLDivElement>();
  const { holdUp, rest } = useMemo(
    () => ({ holdUp: owe.filter(({ blocks }) => blocks !== 'none'), rest: owe.filter(({ blocks }) => blocks === 'none') }),
    [owe],
  );
  return (
    <Dialog forReading title="Waiting for you" hint="Decisions and questions that wait for you." onClose={onClose}>
      <div ref={ref} className="space-y-5">
        <Section title="To decide" items={kept}>
          {(one) => <CheckpointItem {...one} still={still} onClose={onClose} />}
        </Section>
        {/* Below what was answered, which it must not move. */}
        {owe.length === 0 && kept.every(({ open }) => !open) && <p className="text-ink-2">Your inbox is empty.</p>}
        <Section title="You hold somebody up" items={holdUp}>
          {(obligation) => <OwedAnswer obligation={obligation} onClose={onClose} />}
        </Section>
        <Section title="You owe an answer" items={rest}>
          {(obligation) => <OwedAnswer obligation={obligation} onClose={onClose} />}
        </Section>
        <Section title="You wait for" items={awaited}>
          {(obligation) => <AwaitedAnswer obligation={obligation} onClose={onClose} />}
        </Section>
      </div>
    </Dialog>
  );
}

/** One's obligations, except for those that came up to one and are still to be decided: they are shown once. */
function useOwe(): Obligation[] {
  const owe = useSelect((state) => state.owed.owe);
  const checkpoints = useSelect((state) => state.checkpoints);
  return useMemo(() => toAnswer(owe, checkpoints), [owe, checkpoints]);
}

interface SectionProps<T> {
  title: string;
  items: readonly T[];
  children: (item: T) => ReactNode;
}

function Section<T extends { id: string }>({ title, items, children }: SectionProps<T>) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-2 text-xs font-medium text-ink-3">{title}</h3>
      <ul className="space-y-2.5">
        {items.map((item) => (
          <li key={item.id} className="rounded-xl border border-line px-3 py-2.5">
            {children(item)}
          </li>
        ))}
      </ul>
    </section>
  );
}
