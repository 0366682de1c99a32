import type { NegotiationStep } from '@parley/protocol';
import { fieldLabel } from '../field-words.ts';

interface SharedFieldsProps {
  steps: readonly NegotiationStep[];
  /** Fields that they got before it was split off. */
  before?: readonly string[] | undefined;
  peerName: string;
}

/** What went out and what did not, at a glance; the timeline has the moments. */
export function SharedFields({ steps, before, peerName }: SharedFieldsProps) {
  const mine = steps.filter(({ by }) => by === 'me');
  const shared = [...new Set([...(before ?? []), ...mine.flatMap((step) => Object.keys(step.shared))])];
  const withheld = [...new Set(mine.flatMap((step) => step.withheld))].filter((field) => !shared.includes(field));
  return (
    <dl className="mt-4 grid gap-x-3 gap-y-1 rounded-xl bg-sunken px-3.5 py-2.5 text-sm sm:grid-cols-[auto_minmax(0,1fr)]">
      <Row name={`Shared with ${peerName}`} fields={shared} />
      <Row name="Not shared" fields={withheld} />
    </dl>
  );
}

const Row = ({ name, fields }: { name: string; fields: readonly string[] }) => (
  <>
    <dt className="text-ink-3 [overflow-wrap:anywhere]">{name}</dt>
    <dd className="[overflow-wrap:anywhere] max-sm:mb-1">{fields.length === 0 ? 'Nothing' : fields.map(fieldLabel).join(', ')}</dd>
  </>
);
