import { answeredBefore, untilText } from '@parley/core';
import type { Checkpoint } from '@parley/protocol';
import { useState } from 'react';
import { lazyComponent } from '../../lib/lazy-component.tsx';
import { followLink, messagePath } from '../../lib/router.ts';
import { momentOf, timeOfDay } from '../../lib/time.ts';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { isPrompt, withCheckpoint } from '../../state/work.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { withHandles } from '../../ui/handles.tsx';
import { Problem } from '../../ui/problem.tsx';
import { toast } from '../../ui/toast.tsx';
import { AnswerBar } from './answer-bar.tsx';
import { ApprovalDetail } from './approval-detail.tsx';
import { MessageQuote } from '../message-quote.tsx';
import { sentenceOf, withoutEffect } from './settled-text.ts';
import type { KeptCheckpoint } from './use-kept-checkpoints.ts';
import { useSettledText } from './use-settled-text.ts';

/** The answers that do not need the whole call to be shown. */
const unseen: ReadonlySet<string> = new Set(['deny', 'did', 'leave']);

const PromptItem = lazyComponent(async () => (await import('../../peers/prompts/prompt-item.tsx')).PromptItem);

export interface CheckpointItemProps extends KeptCheckpoint {
  /** What has only just come to lie where it is takes no answer. */
  still: boolean;
  onClose: () => void;
}

export const CheckpointItem = (props: CheckpointItemProps) =>
  isPrompt(props.checkpoint.kind) ? <PromptItem {...props} /> : <DecisionItem {...props} />;

function DecisionItem({ checkpoint, open, still, onClose }: CheckpointItemProps) {
  const { client, store } = useWorkspace();
  const closed = useSelect((state) => state.settled[checkpoint.id]);
  const settled = useSettledText(closed);
  const now = useNow();
  const [whole, setWhole] = useState<Checkpoint | null>(null);
  const shown = whole ?? checkpoint;
  const [turns, setTurns] = useState('10');
  const [instruction, setInstruction] = useState('');
  // Two agents that were stopped: how they may go on.
  const more: Readonly<Record<string, () => { turns?: number; instruction?: string }>> = {
    go_on: () => ({ turns: Number(turns) }),
    redirect: () => ({ instruction }),
  };
  const isLoop = checkpoint.kind === 'no_progress';
  const { act, busy, error } = useAction(async (choice: string) => {
    const answer = await client.call('closeCheckpoint', {
      params: { checkpointId: checkpoint.id },
      body: { choice, ...(shown.digest === null ? {} : { seen: shown.digest }), ...more[choice]?.() },
    });
    store.update((state) => withCheckpoint(state, answer));
    // Answered on another device, or by somebody else, a moment before.
    if (answer.already) toast(answeredBefore(answer));
    if (answer.notRun) toast(withoutEffect(answer.notRun), 'danger');
  });
  return (
    <>
      <p>
        {withHandles(sentenceOf(checkpoint))} <time className="text-xs text-ink-3 tabular-nums">{timeOfDay(checkpoint.createdAt)}</time>
      </p>
      {checkpoint.detail === null ? (
        checkpoint.links.map(({ messageId }) => <MessageQuote key={messageId} messageId={messageId} />)
      ) : (
        <ApprovalDetail checkpoint={shown} onWhole={setWhole} />
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
      {shown.cut && open && <p className="mt-1.5 text-sm text-ink-2">Show all of it to approve it.</p>}
      {isLoop && open && (
        <div className="mt-2 grid gap-2">
          <Field
            label="Turns, if they go on"
            type="number"
            min={1}
            max={100}
            value={turns}
            onChange={(event) => setTurns(event.target.value)}
          />
          <Field
            label="New instruction, to redirect"
            value={instruction}
            onChange={(event) => setInstruction(event.target.value)}
            maxLength={10_000}
          />
        </div>
      )}
      <Problem text={error} />
      <AnswerBar pinned open={open} settled={settled}>
        {checkpoint.choices.map(({ choice, label }, n) => (
          <Button
            key={choice}
            look={n === 0 ? 'primary' : 'plain'}
            disabled={busy || !open || (shown.cut && !unseen.has(choice)) || (isLoop && choice === 'redirect' && instruction.trim() === '')}
            aria-disabled={!still}
            onClick={() => still && act(choice)}
          >
            {label}
          </Button>
        ))}
        {checkpoint.until !== null && checkpoint.wouldNotRun === null && (
          <span className="text-sm text-ink-2">{untilText(momentOf(checkpoint.until, now))}</span>
        )}
      </AnswerBar>
    </>
  );
}
