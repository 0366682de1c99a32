import type { PeerProfile } from '@parley/protocol';
import { useId, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { fieldLabel, fieldLabelled, settableLabels, valueText } from '../field-words.ts';

interface Props {
  profile: PeerProfile;
  onChanged: (profile: PeerProfile) => void;
}

/** A name as people type it. */
const asField = (typed: string): string =>
  typed
    .trim()
    .toLowerCase()
    .replaceAll(/[^\w.-]+/g, '_')
    .slice(0, 64);

export function ProfileFields({ profile, onChanged }: Props) {
  const { client } = useWorkspace();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const field = fieldLabelled(name) ?? asField(name);
  const list = useId();
  const set = useAction(async (which: string, next: string | null) => {
    onChanged(await client.call('setPeerField', { body: { field: which, value: next } }));
    if (next === null) return;
    setName('');
    setValue('');
  });
  const known = Object.entries(profile.fields);
  return (
    <>
      {known.length === 0 && <p className="text-sm text-ink-3">Nothing yet.</p>}
      <ul aria-label="Profile fields" className="-mx-2">
        {known.map(([one, held]) => (
          <li key={one} className="flex items-center gap-2 rounded-lg px-2 py-1 hover:bg-hover">
            <span className="min-w-0 flex-1 text-sm [overflow-wrap:anywhere]">
              <span className="text-ink-3">{fieldLabel(one)}:</span> {valueText(held)}
            </span>
            <IconButton
              small
              icon="edit"
              label={`Change ${fieldLabel(one)}`}
              onClick={() => {
                setName(fieldLabelled(fieldLabel(one)) === one ? fieldLabel(one) : one);
                setValue(typeof held === 'string' ? held : JSON.stringify(held));
              }}
            />
            <IconButton small icon="trash" label={`Forget ${fieldLabel(one)}`} disabled={set.busy} onClick={() => set.act(one, null)} />
          </li>
        ))}
      </ul>
      <form
        aria-label="Set a field"
        className="mt-2.5 border-t border-line pt-3"
        onSubmit={(event) => {
          event.preventDefault();
          set.act(field, value.trim());
        }}
      >
        <div className="grid gap-x-3 gap-y-2 sm:grid-cols-2">
          <Field
            label="Field"
            placeholder="Dietary preferences"
            spellCheck={false}
            list={list}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
          <datalist id={list}>
            {settableLabels.map((label) => (
              <option key={label}>{label}</option>
            ))}
          </datalist>
          <Field label="Value" placeholder="vegetarian" maxLength={2000} value={value} onChange={(event) => setValue(event.target.value)} />
        </div>
        <Problem text={set.error} />
        <div className="mt-2 flex justify-end">
          <Button type="submit" look="primary" disabled={set.busy || field === '' || value.trim() === ''}>
            Set
          </Button>
        </div>
      </form>
    </>
  );
}
