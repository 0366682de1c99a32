import { notRunText } from '@parley/core';
import type { Checkpoint, Obligation } from '@parley/protocol';
import { useEffect, useMemo } from 'react';
import type { ReactNode } from 'react';
import { followLink, messagePath } from '../lib/router.ts';
import { timeOfDay } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { toAnswer, withCheckpoint } from '../state/work.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { withHandles } from '../ui/handles.tsx';
import { Problem } from '../ui/problem.tsx';
import { toast } from '../ui/toast.tsx';
import { Asked } from './asked.tsx';
import { Owed, Owes } from './owed.tsx';
import { Quoted } from './quoted.tsx';

/** What waits for one, in one place and one tap each (SYS-1). */
export function InboxDialog({ onClose }: { onClose: () => void }) {
  const checkpoints = useSelect((state) => state.checkpoints);
  const { waiting: awaited } = useSelect((state) => state.owed);
  const owe = useOwe();
  const { refreshOwed } = useWorkspace();
  useEffect(() => {
    // What is owed is not told as it changes; without the answer what was known before is shown.
    refreshOwed().catch(() => {});
  }, [refreshOwed]);
  const waiting = useMemo(() => Object.values(checkpoints).sort((a, b) => a.seq - b.seq), [checkpoints]);
  const { holdUp, rest } = useMemo(
    () => ({ holdUp: owe.filter(({ blocks }) => blocks !== 'none'), rest: owe.filter(({ blocks }) => blocks === 'none') }),
    [owe],
  );
  return (
    <Dialog title="Waiting for you" hint="What needs a person, and that person is you." onClose={onClose}>
      {waiting.length + owe.length === 0 && <p className="text-ink-2">Nothing waits for you.</p>}
      <div className="space-y-5">
        <Section title="To decide" items={waiting}>
          {(checkpoint) => <Waiting checkpoint={checkpoint} onClose={onClose} />}
        </Section>
        <Section title="You hold somebody up" items={holdUp}>
          {(obligation) => <Owes obligation={obligation} onClose={onClose} />}
        </Section>
        <Section title="You owe an answer" items={rest}>
          {(obligation) => <Owes obligation={obligation} onClose={onClose} />}
        </Section>
        <Section title="You wait for" items={awaited}>
          {(obligation) => <Owed obligation={obligation} onClose={onClose} />}
        </Section>
      </div>
    </Dialog>
  );
}

/** What one owes, but for what came up to one and is still to be decided: that is told of once. */
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

const labelOf = ({ choices, choice }: Checkpoint): string =>
  choices.find((one) => one.choice === choice)?.label ?? 'it was settled meanwhile';

/** Without a word about it, a yes that came to nothing would look like any other: the item is gone either way. */
const inVain = (notRun: NonNullable<Checkpoint['notRun']>): string =>
  `${notRunText(notRun)}${notRun.again ? ` To ask again: parley invocations ask ${notRun.invocationId}` : ''}`;

function Waiting({ checkpoint, onClose }: { checkpoint: Checkpoint; onClose: () => void }) {
  const { client, store } = useWorkspace();
  const { act, busy, error } = useAction(async (choice: string) => {
    const closed = await client.call('closeCheckpoint', { params: { checkpointId: checkpoint.id }, body: { choice } });
    store.update((state) => withCheckpoint(state, closed));
    // Answered on another device, or by somebody else, a moment before.
    if (closed.already) toast(`It was answered before: ${labelOf(closed)}.`);
    if (closed.notRun) toast(inVain(closed.notRun), 'danger');
  });
  return (
    <>
      <p>
        {withHandles(checkpoint.text)} <time className="text-xs text-ink-3 tabular-nums">{timeOfDay(checkpoint.createdAt)}</time>
      </p>
      {checkpoint.detail === null ? (
        checkpoint.links.map(({ messageId }) => <Quoted key={messageId} messageId={messageId} />)
      ) : (
        <Asked checkpoint={checkpoint} />
      )}
      <p className="mt-1 flex flex-wrap gap-x-3 text-sm">
        {checkpoint.links.map(({ conversationId, messageId }, n) => (
          <a
            key={messageId}
            href={messagePath(conversationId, messageId)}
            onClick={(event) => {
              followLink(event);
              onClose();
            }}
            className="rounded font-medium text-accent-ink underline underline-offset-2"
          >
            {checkpoint.links.length > 1 ? `Message ${n + 1}` : 'The message'}
          </a>
        ))}
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        {checkpoint.choices.map(({ choice, label }, n) => (
          <Button key={choice} look={n === 0 ? 'primary' : 'plain'} disabled={busy} onClick={() => act(choice)}>
            {label}
          </Button>
        ))}
      </div>
      <Problem text={error} />
    </>
  );
}
