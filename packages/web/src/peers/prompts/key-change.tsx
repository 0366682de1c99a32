import type { KeyChangeCard } from '@parley/protocol';
import { useState } from 'react';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { Button } from '../../ui/button.tsx';
import type { PromptProps } from './prompt-item.tsx';
import { ComparedBox, SafetyNumber } from '../people/safety-number.tsx';

/** A new key counts only after two people have compared one number (A2C-4). */
export function KeyChange({ card, idle, still, onAnswer }: PromptProps<KeyChangeCard>) {
  const [compared, setCompared] = useState(false);
  return (
    <>
      {card.alarm !== '' && <p className="mt-1 text-sm [overflow-wrap:anywhere] text-ink-2">{card.alarm}</p>}
      <SafetyNumber number={card.safetyNumber} name={card.peerName} />
      <ComparedBox name={card.peerName} checked={compared} onChange={setCompared} />
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
