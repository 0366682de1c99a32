import type { ProposalCard } from '@parley/protocol';
import { Fragment, useState } from 'react';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { useNow } from '../../lib/use-now.ts';
import { AskAgain } from '../../ui/ask-again.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { partsBeside, proposalParts, withFieldLabels } from '../field-words.ts';
import { whenText } from '../moments.ts';
import { Alternatives } from './alternatives.tsx';
import type { PromptProps } from './prompt-item.tsx';
import { peerOf, suggestionOf } from './prompt-words.ts';

const wishes = {
  time: { button: 'Suggest different time', label: 'Which time suits you?', hint: 'Such as Saturday 20:00' },
  place: { button: 'Suggest different place', label: 'Which place suits you?', hint: 'Such as Dopo, or near the station' },
} as const;
type Wish = keyof typeof wishes;

/** What the two peers worked out, exactly what confirming approves (A2C-24), and the ways to say no. */
export function Proposal({ card, idle, still, onAnswer }: PromptProps<ProposalCard>) {
  const now = useNow();
  const [wish, setWish] = useState<Wish | null>(null);
  const [excuses, setExcuses] = useState(false);
  const [text, setText] = useState('');
  const suggest = (kind: Wish, words: string) => {
    setWish(kind);
    setText(words);
  };
  const button = (label: string, onClick: () => void, look: 'primary' | 'plain' = 'plain') => (
    <Button look={look} disabled={!idle} aria-disabled={!still} onClick={() => still && onClick()}>
      {label}
    </Button>
  );
  return (
    <>
      <p className="mt-1.5 text-[17px] leading-snug font-semibold [overflow-wrap:anywhere]">{card.summary}</p>
      <Details card={card} />
      {card.reasoning !== '' && <p className="mt-1.5 text-sm [overflow-wrap:anywhere] text-ink-2">“{withFieldLabels(card.reasoning)}”</p>}
      <Actions card={card} />
      <Alternatives alternatives={card.alternatives} areQuoted onSuggest={(summary) => suggest('time', summary)} />
      {wish !== null && (
        <form
          className="mt-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (still && idle && text.trim() !== '') onAnswer({ kind: 'different', text: suggestionOf(wish, text) });
          }}
        >
          <Field
            key={wish}
            label={wishes[wish].label}
            hint={wishes[wish].hint}
            maxLength={500}
            autoFocus
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <div className="mt-1 flex gap-2">
            <Button type="submit" look="primary" disabled={!idle || text.trim() === ''} aria-disabled={!still}>
              Send suggestion
            </Button>
            <Button onClick={() => setWish(null)}>Back</Button>
          </div>
        </form>
      )}
      {card.conflict !== null && (
        <p role="alert" className="mt-2.5 rounded-lg bg-notice-soft px-3 py-2.5 text-sm text-notice [overflow-wrap:anywhere]">
          Your calendar has something else then: <strong className="font-medium">{card.conflict}</strong>. Confirm anyway to keep both, or
          suggest another time.
        </p>
      )}
      {/* Not in the bar below: on a phone they would cover what they are about. */}
      <div className="mt-2.5 flex flex-wrap gap-2">
        {(['time', 'place'] as const).map((kind) => (
          <Fragment key={kind}>{button(wishes[kind].button, () => suggest(kind, ''))}</Fragment>
        ))}
        {!excuses && !card.peer.startsWith('outside:') && button('Can’t make it: make an excuse for me', () => setExcuses(true))}
      </div>
      {excuses && (
        <AskAgain
          text={`Your peer tells ${doerOf(card)} that something came up, and asks for another time. Nobody learns your reason.`}
          act="Send the excuse"
          busy={!idle}
          onAct={() => onAnswer({ kind: 'excuse' })}
          onBack={() => setExcuses(false)}
        />
      )}
      <AnswerBar>
        {card.conflict === null
          ? button('Confirm', () => onAnswer({ kind: 'confirm' }), wish === null ? 'primary' : 'plain')
          : button('Confirm anyway', () => onAnswer({ kind: 'confirm', anyway: true }))}
        {button('Decline', () => onAnswer({ kind: 'decline' }))}
        {card.until !== null && <span className="text-sm text-ink-2">Confirm before {whenText(card.until, now)}</span>}
      </AnswerBar>
    </>
  );
}

function Details({ card }: { card: ProposalCard }) {
  const parts = partsBeside(card.summary, proposalParts(card.details));
  if (parts.length === 0) return null;
  return (
    <dl className="mt-1.5 grid gap-x-3 gap-y-0.5 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
      {parts.map(([name, text]) => (
        <Fragment key={name}>
          <dt className="text-ink-3 [overflow-wrap:anywhere]">{name}</dt>
          <dd className="[overflow-wrap:anywhere] max-sm:mb-1">{text}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Who does something for all: between two the other person, in a group its coordinator. */
const doerOf = ({ group, peerName }: ProposalCard): string => peerOf(group?.coordinatorName ?? peerName);

function conditionOf({ group, peerName }: ProposalCard): string {
  if (!group) return `When you and ${peerName} have confirmed:`;
  const { members, quorum } = group;
  return quorum === null || quorum === members.length
    ? `When all ${members.length} have confirmed:`
    : `When ${quorum} of ${members.length} have confirmed, you among them:`;
}

function Actions({ card }: { card: ProposalCard }) {
  const { actions } = card;
  return (
    <div className="mt-2.5 rounded-lg bg-sunken px-2.5 py-2 text-sm">
      <p className="font-medium">{actions.length === 0 ? 'Confirming does nothing further.' : conditionOf(card)}</p>
      <ul aria-label="What confirming does" className="mt-0.5 list-disc pl-4.5">
        {actions.map(({ text, reversible, own, missing }) => (
          <li key={`${own} ${text}`} className="[overflow-wrap:anywhere]">
            {text}
            {!own && <span className="text-ink-2"> (done by {doerOf(card)})</span>}
            {missing && <strong className="font-medium text-danger"> Your peer has no such action: it would fail</strong>}
            {!reversible && <strong className="font-medium text-danger"> Cannot be undone</strong>}
          </li>
        ))}
      </ul>
    </div>
  );
}
