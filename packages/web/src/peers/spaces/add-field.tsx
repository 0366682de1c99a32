import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { asField, valueOf } from './space-words.ts';
import type { SpacePart } from './space-view.tsx';

const longestField = 64;
const longestValue = 8000;

/** A person who may write only their own fields gets their name before each: `ann.flight`. */
export function AddField({ space, onChanged }: SpacePart) {
  const { client } = useWorkspace();
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  const isOwn = space.people.some(({ isMe, may }) => isMe && may === 'write-own-fields');
  const typed = asField(name);
  const prefix = isOwn && !typed.startsWith(space.ownPrefix) ? space.ownPrefix : '';
  const field = typed === '' ? '' : `${prefix}${typed}`;
  const add = useAction(async () => {
    const body = { writes: [{ field, value: valueOf(value) }] };
    onChanged(await client.call('writeSpace', { params: { spaceId: space.id }, body }));
    setName('');
    setValue('');
  });
  return (
    <form
      aria-label="Add a field"
      className="mt-3 rounded-xl border border-dashed border-line-strong px-3.5 py-2.5"
      onSubmit={(event) => {
        event.preventDefault();
        add.act();
      }}
    >
      <div className="grid gap-x-3 sm:grid-cols-2">
        <Field
          label="Field"
          placeholder="hotel"
          hint={isOwn ? `You write fields of your own, such as ${field === '' ? `${space.ownPrefix}flight` : field}` : undefined}
          maxLength={longestField - prefix.length}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
        <Field label="Value" maxLength={longestValue} value={value} onChange={(event) => setValue(event.target.value)} />
      </div>
      <Problem text={add.error} />
      <div className="mt-2 flex justify-end">
        <Button type="submit" disabled={add.busy || field === '' || value.trim() === ''}>
          {add.busy ? 'Adding…' : 'Add field'}
        </Button>
      </div>
    </form>
  );
}
