import type { KeyChangeCard } from '@parley/protocol';
import { useState } from 'react';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { Button } from '../../ui/button.tsx';
import type { PromptProps } from './prompt-item.tsx';
import { SafetyNumber } from '../people/safety-number.tsx';

/** A new key counts only after two people have compared one number (A2C-4). */
export function KeyChange({ card, idle, still, onAnswer }: PromptProps<KeyChangeCard>) {
  const [compared, setCompared] = useState(false);
  return (
    <>
      {card.alarm !== '' && <p className="mt-1 text-sm [overflow-wrap:anywhere] text-ink-2">{card.alarm}</p>}
      <SafetyNumber number={card.safetyNumber} name={card.peerName} />
      <label className="mt-2 flex items-start gap-2 text-sm">
        <input
          type="checkbox"
          className="mt-0.5 size-4 shrink-0 accent-accent"
          checked={compared}
          onChange={(event) => setCompared(event.target.checked)}
        />
        <span>I compared the number with {card.peerName}, in person or by voice. It is the same on both sides.</span>
      </label>
      <AnswerBar>
        <Button look="primary" disabled={!idle} aria-disabled={!still} onClick={() => still && onAnswer({ kind: 'keep_key' })}>
          Keep the old key
        </Button>
        <Button
          disabled={!idle || !compared}
          aria-disabled={!still}
          onClick={() => still && onAnswer({ kind: 'accept_key', safetyNumber: card.safetyNumber })}
        >
          Accept the new key
        </Button>
      </AnswerBar>
    </>
  );
}
