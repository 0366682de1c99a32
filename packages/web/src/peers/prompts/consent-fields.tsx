import type { ConsentCard, ConsentField } from '@parley/protocol';
import { useId, useState } from 'react';
import { AnswerBar } from '../../dialogs/inbox/answer-bar.tsx';
import { Button } from '../../ui/button.tsx';
import { Hint } from '../../ui/hint.tsx';
import { consentAnswer, type ConsentPick, type ConsentPicks, firstPick, isShared, optionsOf } from './consent-picks.ts';
import { fieldLabel, fieldText } from '../field-words.ts';
import { WholeValue } from '../whole-value.tsx';
import type { PromptProps } from './prompt-item.tsx';

/** All fields at once, each with its reason: one tap shares what is picked (A2C-22). */
export function ConsentFields({ card, idle, still, onAnswer }: PromptProps<ConsentCard>) {
  const [picks, setPicks] = useState<ConsentPicks>({});
  const pickOf = (field: ConsentField): ConsentPick => picks[field.field] ?? firstPick(field);
  const whole = Object.fromEntries(card.fields.map((field) => [field.field, pickOf(field)]));
  const shares = Object.values(whole).some(isShared);
  return (
    <>
      <div className="mt-2 space-y-3">
        {card.fields.map((field) => (
          <FieldChoices
            key={field.field}
            field={field}
            peerName={card.peerName}
            threadId={card.threadId}
            introducesAlways={field === card.fields.find(({ offersAlways }) => offersAlways)}
            pick={pickOf(field)}
            onPick={(pick) => setPicks({ ...picks, [field.field]: pick })}
          />
        ))}
      </div>
      <AnswerBar>
        <Button
          look="primary"
          disabled={!idle || !shares}
          aria-disabled={!still}
          onClick={() => still && onAnswer(consentAnswer(card.fields, whole))}
        >
          Share selected
        </Button>
        <Button disabled={!idle} aria-disabled={!still} onClick={() => still && onAnswer(consentAnswer(card.fields, {}))}>
          Decline all
        </Button>
      </AnswerBar>
    </>
  );
}

interface ChoicesProps {
  field: ConsentField;
  peerName: string;
  threadId: string;
  /** The first of them that may be shared always. */
  introducesAlways: boolean;
  pick: ConsentPick;
  onPick: (pick: ConsentPick) => void;
}

function FieldChoices({ field, peerName, threadId, introducesAlways, pick, onPick }: ChoicesProps) {
  const name = useId();
  const options = optionsOf(field);
  const picked = typeof pick.option === 'number' ? options[pick.option] : undefined;
  const choose = (option: ConsentPick['option']) => onPick({ ...pick, option });
  const chip = (option: Exclude<ConsentPick['option'], null>, label: string) => (
    <Chip key={option} name={name} checked={pick.option === option} onChoose={() => choose(option)}>
      {label}
    </Chip>
  );
  return (
    <fieldset className="min-w-0">
      <legend className="font-medium [overflow-wrap:anywhere]">{fieldLabel(field.field)}</legend>
      {/* Words of the other peer: quoted, never markup. */}
      {field.reason !== null && <p className="text-sm [overflow-wrap:anywhere] text-ink-2">“{field.reason}”</p>}
      <div className="mt-1.5 flex flex-wrap gap-1.5">
        {options.map((value, n) => chip(n, fieldText(field.field, value)))}
        {chip('other', options.length === 0 ? 'Answer…' : 'Other…')}
        {chip('decline', 'Don’t share')}
      </div>
      {picked !== undefined && <WholeValue field={field.field} value={picked} />}
      {pick.option === 'other' && (
        <input
          className="field mt-1.5"
          aria-label={`Your answer: ${fieldLabel(field.field)}`}
          placeholder={field.field === 'time_windows' ? 'Friday evening, or Saturday 18:00-21:00' : undefined}
          maxLength={500}
          autoFocus
          value={pick.text}
          onChange={(event) => onPick({ ...pick, text: event.target.value })}
        />
      )}
      {field.offersAlways && isShared(pick) && (
        <label className="mt-1.5 flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={pick.always}
            onChange={(event) => onPick({ ...pick, always: event.target.checked })}
          />
          Always share with {peerName}
        </label>
      )}
      {introducesAlways && (
        <Hint name="always" subject={threadId} className="mt-1.5">
          You shared this with {peerName} before. With the tick, your peer shares it without asking you; Sharing takes it back.
        </Hint>
      )}
    </fieldset>
  );
}

interface ChipProps {
  name: string;
  checked: boolean;
  onChoose: () => void;
  children: string;
}

/** The whole chip is the radio button, so that a thumb meets it. */
const Chip = ({ name, checked, onChoose, children }: ChipProps) => (
  <label
    className={`relative flex min-h-9 max-w-full cursor-pointer items-center gap-2 rounded-lg border px-2.5 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent-ink ${checked ? 'border-accent bg-accent-soft' : 'border-line-strong bg-canvas hover:bg-hover'}`}
  >
    <input
      type="radio"
      name={name}
      className="absolute inset-0 size-full cursor-pointer appearance-none rounded-lg outline-none"
      checked={checked}
      onChange={onChoose}
    />
    <span aria-hidden className={`size-3.5 shrink-0 rounded-full border ${checked ? 'border-4 border-accent' : 'border-line-strong'}`} />
    <span className="min-w-0 [overflow-wrap:anywhere]">{children}</span>
  </label>
);
