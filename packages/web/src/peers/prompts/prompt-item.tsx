import type { Checkpoint, PromptAnswer, PromptCard } from '@parley/protocol';
import { type Client, ParleyError } from '@parley/sdk';
import { useEffect, useState } from 'react';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import type { CheckpointItemProps } from '../../dialogs/inbox/checkpoint-item.tsx';
import { pastSentence } from '../../dialogs/inbox/settled-text.ts';
import { useSettledText } from '../../dialogs/inbox/use-settled-text.ts';
import { followLink, messagePath, negotiationPath } from '../../lib/router.ts';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { withCheckpoint } from '../../state/work.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { closedText } from '../negotiations/group-words.ts';
import { ConsentFields } from './consent-fields.tsx';
import { Escalation } from './escalation.tsx';
import { Expansion } from './expansion.tsx';
import { withFieldLabels } from '../field-words.ts';
import { FirstContact } from '../sharing/first-contact.tsx';
import { KeyChange } from './key-change.tsx';
import { Proposal } from './proposal.tsx';
import { answerText, audienceText, confirmedText, promptHeadline } from './prompt-words.ts';
import { Stranger } from './stranger.tsx';
import { whenText } from '../moments.ts';
import { retryMs, useRead } from '../use-read.ts';

/** What a card of any kind gets. */
export interface PromptProps<C extends PromptCard = PromptCard> {
  card: C;
  /** False while an answer is on its way. */
  idle: boolean;
  /** What has only just come to lie where it is takes no answer. */
  still: boolean;
  onAnswer: (answer: PromptAnswer) => void;
}

interface PromptItemProps extends CheckpointItemProps {
  /** Shown in the negotiation itself, whose page offers the set-up and needs no link. */
  inside?: boolean;
}

/** What one's own peer asks: in the inbox, in the conversation, and in the negotiation. It waits until it is answered. */
export function PromptItem({ checkpoint, open, still, onClose, inside = false }: PromptItemProps) {
  const { client, store, refreshWaiting } = useWorkspace();
  const now = useNow();
  const ended = useSettledText(useSelect((state) => state.settled[checkpoint.id]));
  const [folded, setFolded] = useState(false);
  const [given, setGiven] = useState<PromptAnswer | null>(null);
  const answer = useAction(async (mine: PromptAnswer) => {
    const closed = await client
      .call('answerCheckpoint', { params: { checkpointId: checkpoint.id }, body: mine })
      .catch(async (error: unknown) => {
        // The card names the event from now on, and asks whether to keep both.
        if (!(error instanceof ParleyError) || error.code !== 'calendar_conflict') throw error;
        await refreshWaiting();
      });
    if (!closed) return;
    if (!closed.already) setGiven(mine);
    store.update((state) => withCheckpoint(state, closed));
  });
  const again = useAction(refreshWaiting);
  const { card } = checkpoint;
  const audience = card === null ? null : audienceText(card);
  const problem = answer.error ?? again.error;
  const isWordless = open && card === null;
  useEffect(() => {
    if (!isWordless) return undefined;
    const timer = setInterval(() => void refreshWaiting().catch(() => {}), retryMs);
    return () => clearInterval(timer);
  }, [isWordless, refreshWaiting]);
  const leave = (event: React.MouseEvent<HTMLAnchorElement>) => {
    followLink(event);
    onClose();
  };
  if (!open) return <AnsweredPrompt checkpoint={checkpoint} settled={given ? answerText(given) : ended} given={given} />;
  return (
    <div data-prompt={checkpoint.kind}>
      <div className="flex items-baseline gap-3">
        <p className="min-w-0 flex-1 font-semibold [overflow-wrap:anywhere]">
          {card === null ? checkpoint.text : promptHeadline(card)}{' '}
          <time className="text-xs font-normal text-ink-3 tabular-nums">{whenText(checkpoint.createdAt, now)}</time>
        </p>
        {card !== null && (
          <button
            type="button"
            aria-expanded={!folded}
            onClick={() => setFolded(!folded)}
            className="min-h-6 shrink-0 rounded text-sm text-ink-2 hover:text-ink hover:underline"
          >
            {folded ? 'Show' : 'Later'}
          </button>
        )}
      </div>
      {card !== null && 'threadId' in card && !folded && (
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-sm text-ink-2">
          {card.kind !== 'stranger' && card.kind !== 'expansion' && card.intent !== '' && (
            <span className="min-w-0 [overflow-wrap:anywhere]">For “{card.intent}”</span>
          )}
          {!inside && (
            <a href={negotiationPath(card.threadId)} onClick={leave} className="rounded text-accent-ink underline underline-offset-2">
              The negotiation
            </a>
          )}
          {checkpoint.links.slice(0, 1).map(({ conversationId, messageId }) => (
            <a
              key={messageId}
              href={messagePath(conversationId, messageId)}
              onClick={leave}
              className="rounded text-accent-ink underline underline-offset-2"
            >
              The message
            </a>
          ))}
        </p>
      )}
      {audience !== null && !folded && <p className="mt-0.5 text-sm text-ink-2 [overflow-wrap:anywhere]">{audience}</p>}
      {folded && <p className="text-sm text-ink-2">It waits for you. Nothing is shared or confirmed meanwhile.</p>}
      <div hidden={folded}>
        {card?.kind === 'consent' && !inside && <FirstContact folded />}
        {problem !== null && (
          <div className="mt-2">
            <Problem text={withFieldLabels(problem)} />
          </div>
        )}
        {card === null ? (
          <AnswerBar>
            <span className="text-sm text-ink-2">Your peer does not answer, so its words are missing.</span>
            <Button disabled={again.busy} onClick={again.act}>
              Try again
            </Button>
          </AnswerBar>
        ) : (
          <Card card={card} idle={!answer.busy} still={still} onAnswer={answer.act} />
        )}
      </div>
    </div>
  );
}

/** One line, so that the next card is in sight. A proposal's words stay: one may wait for the other person. */
function AnsweredPrompt({ checkpoint, settled, given }: { checkpoint: Checkpoint; settled: string; given: PromptAnswer | null }) {
  const { card } = checkpoint;
  return (
    <p data-prompt={checkpoint.kind} className="text-sm text-ink-2 [overflow-wrap:anywhere]">
      {card?.kind === 'proposal' ? `${card.summary} · ` : `${pastSentence(checkpoint)} `}
      <output className="font-medium">
        <Ending card={card} given={given} settled={settled} />
      </output>
    </p>
  );
}

/** After a confirmation it waits for the others. A member of a group who was still asked reads why not any more. */
function Ending({ card, given, settled }: { card: PromptCard | null; given: PromptAnswer | null; settled: string }) {
  if (card?.kind !== 'proposal') return settled;
  if (given?.kind === 'confirm') return <Confirmed threadId={card.threadId} settled={settled} />;
  return given === null && card.group ? <GroupEnd threadId={card.threadId} settled={settled} /> : settled;
}

const load = (client: Client, threadId: string) => client.call('getNegotiation', { params: { threadId } });

/** It waits for the others, and then ends one way or another. */
function Confirmed({ threadId, settled }: { threadId: string; settled: string }) {
  const negotiation = useRead(load, threadId).data;
  return negotiation ? confirmedText(negotiation) : settled;
}

function GroupEnd({ threadId, settled }: { threadId: string; settled: string }) {
  const negotiation = useRead(load, threadId).data;
  return (negotiation && closedText(negotiation.state, negotiation.group)) ?? settled;
}

function Card({ card, ...rest }: PromptProps) {
  if (card.kind === 'consent') return <ConsentFields card={card} {...rest} />;
  if (card.kind === 'proposal') return <Proposal card={card} {...rest} />;
  if (card.kind === 'escalation') return <Escalation card={card} {...rest} />;
  if (card.kind === 'expansion') return <Expansion card={card} {...rest} />;
  if (card.kind === 'key_change') return <KeyChange card={card} {...rest} />;
  return <Stranger card={card} {...rest} />;
}
