import type { WholeSpace } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Problem } from '../../ui/problem.tsx';
import { fieldLabel, valueText } from '../field-words.ts';
import { OpenLink } from './open-link.tsx';
import { RemoveField } from './remove-field.tsx';
import { isWebAddress, nameIn, typedText, valueOf } from './space-words.ts';
import type { SpacePart } from './space-view.tsx';

type Field = WholeSpace['fields'][number];

/** An address of the web opens beside the page, which it learns nothing of. */
function FieldValue({ value }: { value: Field['value'] }) {
  const text = valueText(value);
  return (
    <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">
      {isWebAddress(text) ? (
        <a href={text} target="_blank" rel="noopener noreferrer" className="rounded text-accent-ink underline">
          {text}
        </a>
      ) : (
        text
      )}
    </p>
  );
}

/** One field: its value, who wrote it last, its earlier values, and the way to change it where one may. */
export function SpaceField({ space, field, onChanged }: SpacePart & { field: Field }) {
  const { client } = useWorkspace();
  const { field: name, value, by, version, mayWrite, earlier, links } = field;
  const [typed, setTyped] = useState<string | null>(null);
  const [opened, setOpened] = useState<number | null>(null);
  const params = { spaceId: space.id };
  const write = useAction(async (next: Field['value']) => {
    onChanged(await client.call('writeSpace', { params, body: { writes: [{ field: name, value: next }] } }));
    setTyped(null);
  });
  const isWatched = space.watches.includes(name) || space.watches.includes('*');
  const watch = useAction(async () => {
    const others = space.watches.filter((one) => one !== name && one !== '*');
    const all = space.watches.includes('*') ? space.fields.map((one) => one.field).filter((one) => one !== name) : others;
    onChanged(await client.call('watchSpace', { params, body: { fields: isWatched ? all : [...others, name] } }));
  });
  const label = fieldLabel(name);
  // A list may hold other entries beside its links.
  const isLinks = links.length > 0 && links.length === (Array.isArray(value) ? value.length : 1);
  const canWrite = mayWrite && space.isJoined;
  return (
    <li data-field={name} className="rounded-xl border border-line px-3.5 py-2.5">
      <div className="flex items-start gap-1">
        <div className="min-w-0 flex-1">
          <p className="text-sm text-ink-3 [overflow-wrap:anywhere]">{label}</p>
          {typed === null && !isLinks && <FieldValue value={value} />}
          {typed === null &&
            links.map((link, at) => (
              // Links of one field have no other name than their place.
              // oxlint-disable-next-line react/no-array-index-key
              <p key={at} className="flex flex-wrap items-center gap-x-2 gap-y-1 [overflow-wrap:anywhere]">
                <span>{link.name}</span>
                {link.name !== link.uri && <span className="text-xs text-ink-3">{link.uri}</span>}
                <Button icon="link" aria-label={`Open ${link.name}`} onClick={() => setOpened(at)} className="min-h-8">
                  Open
                </Button>
              </p>
            ))}
        </div>
        <IconButton
          small
          icon="bell"
          label={isWatched ? `Stop watching ${label}` : `Watch ${label}`}
          aria-pressed={isWatched}
          disabled={watch.busy}
          onClick={watch.act}
          className={isWatched ? 'text-accent-ink' : ''}
        />
        {canWrite && typed === null && <IconButton small icon="edit" label={`Edit ${label}`} onClick={() => setTyped(typedText(value))} />}
        {canWrite && <RemoveField label={label} text={valueText(value)} busy={write.busy} onRemove={() => write.act(null)} />}
      </div>
      {typed !== null && (
        <form
          aria-label={`Edit ${label}`}
          onSubmit={(event) => {
            event.preventDefault();
            write.act(valueOf(typed));
          }}
        >
          <textarea
            aria-label={label}
            className="field mt-1 min-h-20 w-full"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
          <div className="mt-2 flex justify-end gap-2">
            <Button onClick={() => setTyped(null)}>Cancel</Button>
            <Button type="submit" look="primary" disabled={write.busy || typed.trim() === ''}>
              {write.busy ? 'Saving…' : 'Save'}
            </Button>
          </div>
        </form>
      )}
      <Problem text={write.error ?? watch.error} />
      <p className="mt-1 text-xs text-ink-3 tabular-nums">
        {`${nameIn(space, by)} wrote version ${version}`}
        {!mayWrite && ' · you may not write it'}
      </p>
      {earlier.length > 0 && (
        <details className="mt-1 text-sm">
          <summary className="cursor-pointer text-xs text-ink-2">
            {earlier.length === 1 ? '1 earlier value' : `${earlier.length} earlier values`}
          </summary>
          <ol className="mt-1 space-y-1 border-l border-line pl-3">
            {earlier.map((one) => (
              <li key={`${one.version} ${one.by}`} className="[overflow-wrap:anywhere]">
                {one.value === null ? 'Removed' : valueText(one.value)}{' '}
                <span className="text-xs text-ink-3 tabular-nums">{`${nameIn(space, one.by)}, version ${one.version}`}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
      {/* Somebody may have removed it meanwhile. */}
      {opened !== null && links[opened] && (
        <OpenLink spaceId={space.id} field={name} at={opened} link={links[opened]} onClose={() => setOpened(null)} />
      )}
    </li>
  );
}
