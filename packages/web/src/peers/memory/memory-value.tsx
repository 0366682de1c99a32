import type { RelationshipMemory } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { fieldLabel, valueText } from '../field-words.ts';
import { dayText } from '../moments.ts';

interface Props {
  address: string;
  name: string;
  entry: RelationshipMemory['cache'][number];
  onChanged: (memory: RelationshipMemory) => void;
}

/** One remembered value: how old it is, what it contradicted, and the ways to correct and forget it. */
export function MemoryValue({ address, name, entry, onChanged }: Props) {
  const { client } = useWorkspace();
  const now = useNow();
  const [draft, setDraft] = useState<string | null>(null);
  const label = fieldLabel(entry.field);
  const edit = useAction(async (value: string | null) => {
    onChanged(await client.call('editPeerMemory', { params: { address }, body: { field: entry.field, value } }));
    setDraft(null);
  });
  return (
    <li className="text-sm">
      <div className="flex items-start gap-1">
        <p className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          <span className="text-ink-3">{label}:</span> {valueText(entry.value)}{' '}
          <span className="text-xs text-ink-3 tabular-nums">{dayText(entry.updatedAt, now)}</span>
          {entry.confidence === 'low' && (
            <span className="ml-1.5 rounded bg-notice-soft px-1.5 py-px text-xs text-notice">Stale: asked for again</span>
          )}
          {entry.before !== null && <span className="block text-xs text-ink-2">Contradicts what was known: {valueText(entry.before)}</span>}
        </p>
        <IconButton
          small
          icon="edit"
          label={`Correct ${label} of ${name}`}
          onClick={() => setDraft(typeof entry.value === 'string' ? entry.value : JSON.stringify(entry.value))}
        />
        <IconButton small icon="trash" label={`Forget ${label} of ${name}`} disabled={edit.busy} onClick={() => edit.act(null)} />
      </div>
      {draft !== null && (
        <form
          className="mt-1 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            edit.act(draft.trim());
          }}
        >
          <input
            className="field min-w-0 flex-1"
            aria-label={`${label} of ${name}`}
            maxLength={2000}
            autoFocus
            value={draft}
            onChange={(event) => setDraft(event.target.value)}
          />
          <Button type="submit" look="primary" disabled={edit.busy || draft.trim() === ''}>
            Save
          </Button>
          <Button onClick={() => setDraft(null)}>Cancel</Button>
        </form>
      )}
      <Problem text={edit.error} />
    </li>
  );
}
