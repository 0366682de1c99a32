import type { EscalationCard } from '@parley/protocol';
import { useState } from 'react';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Alternatives } from './alternatives.tsx';
import type { PromptProps } from './prompt-item.tsx';

/** The peers tried other days, times and formats. A person says what to try, or ends it (A2C-18). */
export function Escalation({ card, idle, still, onAnswer }: PromptProps<EscalationCard>) {
  const [text, setText] = useState('');
  const words = text.trim();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (still && idle) onAnswer({ kind: 'continue', ...(words === '' ? {} : { text: words }) });
      }}
    >
      {linesOf(card).map((line) => (
        <p key={line} className="mt-1 text-sm [overflow-wrap:anywhere]">
          {line}
        </p>
      ))}
      {card.isSilent && <p className="mt-1 text-sm">Nothing came for too long. Wait for them once more, or end it.</p>}
      {card.isPaused && (
        <p className="mt-1 text-sm">Your peer could not write a valid packet, also when it tried again. Nothing was sent.</p>
      )}
      <Alternatives alternatives={card.alternatives} onSuggest={setText} />
      {!card.isPaused && !card.isSilent && (
        <Field
          className="mt-2.5"
          label="What should they try?"
          hint="Such as next week, or a call. Left empty, they look up to six weeks ahead"
          maxLength={500}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <AnswerBar>
        <Button type="submit" look="primary" disabled={!idle} aria-disabled={!still}>
          {card.isSilent ? 'Continue' : card.isPaused ? 'Try again' : words === '' ? 'Try other days' : 'Send suggestion'}
        </Button>
        <Button disabled={!idle} aria-disabled={!still} onClick={() => still && onAnswer({ kind: 'decline' })}>
          End it
        </Button>
      </AnswerBar>
    </form>
  );
}

/** A question that says what the conflict says needs no line before it. */
function linesOf({ conflict, question }: EscalationCard): string[] {
  const [first = ''] = (conflict ?? '').split(/[,.]/);
  return [question?.startsWith(first) && first !== '' ? null : conflict, question].filter((line) => line !== null);
}
