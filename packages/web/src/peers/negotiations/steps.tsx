import type { NegotiationStep } from '@parley/protocol';
import { Fragment } from 'react';
import { fullDate } from '../../lib/time.ts';
import { useNow } from '../../lib/use-now.ts';
import { fieldLabel, fieldText, withFieldLabels } from '../field-words.ts';
import { whenText } from '../moments.ts';
import { WholeValue } from '../whole-value.tsx';

/** Who did what when. Values are the words of people and their peers: text. */
export function Steps({ steps }: { steps: readonly NegotiationStep[] }) {
  const now = useNow();
  return (
    <ol aria-label="Timeline" className="space-y-3 border-l border-line pl-4">
      {steps.map((step, n) => (
        // Steps are only ever added at the end.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={n} data-step={step.kind} className="relative text-sm">
          <span
            aria-hidden="true"
            className={`absolute top-1.5 -left-[20.5px] size-2 rounded-full ${step.by === 'me' ? 'bg-accent' : step.by === 'peer' ? 'bg-person' : 'bg-line-strong'}`}
          />
          <p className="[overflow-wrap:anywhere]">
            {withFieldLabels(step.text)}{' '}
            <time dateTime={new Date(step.at).toISOString()} title={fullDate(step.at)} className="text-xs text-ink-3 tabular-nums">
              {whenText(step.at, now)}
            </time>
          </p>
          <Values step={step} />
        </li>
      ))}
    </ol>
  );
}

function Values({ step: { by, shared, asked, withheld } }: { step: NegotiationStep }) {
  const values = Object.entries(shared);
  if (values.length + asked.length + withheld.length === 0) return null;
  return (
    <dl className="mt-1 grid gap-x-3 gap-y-0.5 rounded-lg bg-sunken px-2.5 py-1.5 sm:grid-cols-[auto_minmax(0,1fr)]">
      {values.map(([field, value]) => (
        <Fragment key={field}>
          <dt className="text-ink-3 [overflow-wrap:anywhere]">{fieldLabel(field)}</dt>
          <dd className="[overflow-wrap:anywhere]">
            {fieldText(field, value)}
            <WholeValue field={field} value={value} />
          </dd>
        </Fragment>
      ))}
      <Fields name={by === 'platform' ? 'Fields' : 'Asked for'} fields={asked} />
      <Fields name={by === 'me' ? 'Not shared' : 'Came without'} fields={withheld} />
    </dl>
  );
}

const Fields = ({ name, fields }: { name: string; fields: readonly string[] }) =>
  fields.length === 0 ? null : (
    <>
      <dt className="text-ink-3">{name}</dt>
      <dd className="[overflow-wrap:anywhere]">{fields.map(fieldLabel).join(', ')}</dd>
    </>
  );
