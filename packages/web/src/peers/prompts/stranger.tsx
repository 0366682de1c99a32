import type { StrangerCard } from '@parley/protocol';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { Button } from '../../ui/button.tsx';
import type { PromptProps } from './prompt-item.tsx';

/** Nothing goes out to somebody unverified before this tap. */
export function Stranger({ card, idle, still, onAnswer }: PromptProps<StrangerCard>) {
  const answer = (isOn: boolean) => still && onAnswer({ kind: 'answer_stranger', isOn });
  return (
    <>
      <p className="mt-1 text-sm [overflow-wrap:anywhere]">
        They want: <q>{card.intent === '' ? 'nothing that they named' : card.intent}</q>
        {card.requests > 1 && `, and ${card.requests - 1} more`}
      </p>
      <p className="mt-1 text-sm text-ink-2">
        Nobody has checked their key. If you answer, only fields that you always share go out until you verify them.
      </p>
      <AnswerBar>
        <Button look="primary" disabled={!idle} aria-disabled={!still} onClick={() => answer(true)}>
          Answer them
        </Button>
        <Button disabled={!idle} aria-disabled={!still} onClick={() => answer(false)}>
          Ignore
        </Button>
      </AnswerBar>
    </>
  );
}
