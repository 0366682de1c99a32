import type { ExpansionCard } from '@parley/protocol';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { fieldLabel } from '../field-words.ts';
import type { PromptProps } from './prompt-item.tsx';

/** Before and after, side by side with what they have and what they want besides (A2C-19). */
export function Expansion({ card, idle, still, onAnswer }: PromptProps<ExpansionCard>) {
  const { before, intent, isFork, reason, asked, shared } = card;
  const answer = (kind: 'go_on' | 'keep_intent' | 'decline') => still && onAnswer({ kind });
  return (
    <>
      <dl className="mt-1.5 grid gap-x-3 gap-y-1 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
        {before !== '' && <Row name={isFork ? 'From' : 'Before'} text={`“${before}”`} />}
        <Row name={isFork ? 'Split off' : 'Now'} text={`“${intent}”`} strong />
        {reason !== null && <Row name="They say" text={`“${reason}”`} />}
        {asked.length > 0 && <Row name="They also ask for" text={asked.map(fieldLabel).join(', ')} />}
        <Row name="They have already" text={shared.length === 0 ? 'Nothing' : shared.map(fieldLabel).join(', ')} />
      </dl>
      <p className="mt-1.5 text-sm text-ink-2">Nothing goes out until you answer. If you go on, you are still asked for each new field.</p>
      <AnswerBar>
        <Button look="primary" disabled={!idle} aria-disabled={!still} onClick={() => answer('go_on')}>
          Go on
        </Button>
        {!isFork && before !== '' && (
          <Button disabled={!idle} aria-disabled={!still} onClick={() => answer('keep_intent')}>
            Keep it as it was
          </Button>
        )}
        <Button disabled={!idle} aria-disabled={!still} onClick={() => answer('decline')}>
          End it
        </Button>
      </AnswerBar>
    </>
  );
}

const Row = ({ name, text, strong = false }: { name: string; text: string; strong?: boolean }) => (
  <>
    <dt className="text-ink-3">{name}</dt>
    <dd className={`[overflow-wrap:anywhere] max-sm:mb-1 ${strong ? 'font-semibold' : ''}`}>{text}</dd>
  </>
);
