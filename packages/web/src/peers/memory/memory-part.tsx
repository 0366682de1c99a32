import type { RelationshipMemory } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { FailedRead } from '../failed-read.tsx';
import { fieldLabel } from '../field-words.ts';
import { dayText } from '../moments.ts';
import { MemoryValue } from './memory-value.tsx';
import { useRead } from '../use-read.ts';

const load = async (client: Client) => (await client.call('listPeerMemory')).memory;

/** What one's peer remembers of each relationship: local only, to correct and to forget (A2C-31). */
export function MemoryPart() {
  const read = useRead(load);
  return (
    <>
      <p className="mb-3 text-sm text-ink-2">
        Your peer learns from each negotiation, so that it asks you less. What it remembers stays here. Blocking a person forgets it.
      </p>
      <FailedRead read={read} quiet={false} />
      {read.data?.length === 0 && <p className="py-8 text-center text-sm text-ink-3">Your peer remembers nothing yet.</p>}
      <ul aria-label="Memory" className="space-y-3">
        {read.data?.map((memory) => (
          <Relationship
            key={memory.address}
            memory={memory}
            onChanged={(next) => read.replace(read.data?.map((one) => (one.address === next.address ? next : one)) ?? [])}
            onForgotten={read.reload}
          />
        ))}
      </ul>
    </>
  );
}

interface Props {
  memory: RelationshipMemory;
  onChanged: (memory: RelationshipMemory) => void;
  onForgotten: () => void;
}

function Relationship({ memory, onChanged, onForgotten }: Props) {
  const { client } = useWorkspace();
  const now = useNow();
  const [sure, setSure] = useState(false);
  const {
    address,
    name,
    label,
    notes,
    preferredResolutionStyle: style,
    interactions,
    lastAt,
    intents,
    asks,
    shares,
    declines,
    responseMs,
    flexibility,
    trust,
    cache,
  } = memory;
  const forget = useAction(async () => {
    await client.call('forgetPeerMemory', { params: { address } });
    onForgotten();
  });
  return (
    <li className="rounded-xl border border-line px-4 py-3">
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-0 flex-1">
          <h2 className="font-semibold [overflow-wrap:anywhere]">{name}</h2>
          <p className="text-sm text-ink-2">
            {interactions === 1 ? '1 negotiation' : `${interactions} negotiations`}
            {lastAt !== null && `, last: ${dayText(lastAt, now)}`}
          </p>
        </div>
        <Button
          look={sure ? 'danger' : 'plain'}
          aria-label={sure ? `Forget everything about ${name}` : `Forget ${name}`}
          disabled={forget.busy}
          onClick={() => (sure ? forget.act() : setSure(true))}
          onBlur={() => setSure(false)}
          className="min-h-8 px-2.5 text-[13px]"
        >
          {sure ? 'Forget everything' : 'Forget'}
        </Button>
      </div>
      <Problem text={forget.error} />
      <Pattern name="Label" words={label === null ? [] : [label]} />
      <Pattern name="Notes" words={notes === null ? [] : [notes]} />
      <Pattern name="You arranged" words={intents} />
      <Pattern name="They usually ask for" words={asks.map(fieldLabel)} />
      <Pattern name="They usually share" words={shares.map(fieldLabel)} />
      <Pattern name="They usually do not share" words={declines.map(fieldLabel)} />
      <Pattern
        name="They answer within"
        words={responseMs === null ? [] : [`${Math.max(1, Math.round(responseMs / 60_000))} min on average`]}
      />
      <Pattern name="Flexibility" words={Object.entries(flexibility).map(([wish, word]) => `${wish} ${word.replaceAll('_', ' ')}`)} />
      <Pattern
        name="You two usually"
        words={style === null ? [] : [style === 'quick_decision' ? 'agree on the first proposal' : 'compare several proposals']}
      />
      <Pattern name="Trust" words={[trust.level, ...trust.signals]} />
      {cache.length > 0 && (
        <ul aria-label={`Known of ${name}`} className="mt-2.5 space-y-1 border-t border-line pt-2">
          {cache.map((entry) => (
            <MemoryValue key={entry.field} address={address} name={name} entry={entry} onChanged={onChanged} />
          ))}
        </ul>
      )}
    </li>
  );
}

const Pattern = ({ name, words }: { name: string; words: readonly string[] }) =>
  words.length === 0 ? null : (
    <p className="mt-1 text-sm [overflow-wrap:anywhere]">
      <span className="text-ink-3">{name}:</span> {words.join(', ')}
    </p>
  );
