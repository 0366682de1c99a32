import type { SharedSpace } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useId, useMemo, useState } from 'react';
import { navigate, spacePath } from '../../lib/router.ts';
import { useAction } from '../../lib/use-action.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { calledAs } from '../../state/names.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { useRead } from '../use-read.ts';
import { permissionText } from './space-words.ts';

type Permission = SharedSpace['people'][number]['may'];
const permissions = Object.entries(permissionText) as [Permission, string][];
const loadPeople = async (client: Client) => (await client.call('listPeerPeople')).people;

/** Members of this hub, and people elsewhere whom one's peer knows. */
export function CreateSpace({ onClose }: { onClose: () => void }) {
  const { client } = useWorkspace();
  const form = useId();
  const people = useChoices();
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Readonly<Record<string, Permission>>>({});
  const create = useAction(async () => {
    const body = { name: name.trim(), people: Object.entries(chosen).map(([whom, may]) => ({ with: whom, may })) };
    const made = await client.call('createSpace', { body });
    onClose();
    navigate(spacePath(made.id));
  });
  const toggle = (whom: string, on: boolean): void =>
    setChosen((before) => ({
      ...Object.fromEntries(Object.entries(before).filter(([one]) => one !== whom)),
      ...(on ? { [whom]: 'full-write' } : {}),
    }));
  return (
    <Dialog
      title="Share a space"
      hint="Everybody in it reads all its fields. You set here for good who writes which of them."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" disabled={create.busy || name.trim() === '' || Object.keys(chosen).length === 0}>
            {create.busy ? 'Sharing…' : 'Share'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          create.act();
        }}
      >
        <Field label="Name" placeholder="Trip to Rome" maxLength={100} value={name} onChange={(event) => setName(event.target.value)} />
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">With</legend>
          {people.length === 0 && <p className="text-sm text-ink-2">Nobody yet. Add somebody under People first.</p>}
          <ul className="max-h-64 space-y-1 overflow-y-auto">
            {people.map(({ whom, label }) => (
              <li key={whom} className="flex flex-wrap items-center gap-x-3 gap-y-1">
                <label className="flex min-h-8 min-w-0 flex-1 items-center gap-2 text-sm [overflow-wrap:anywhere]">
                  <input
                    type="checkbox"
                    className="size-4 shrink-0 accent-accent"
                    checked={chosen[whom] !== undefined}
                    onChange={(event) => toggle(whom, event.target.checked)}
                  />
                  {label}
                </label>
                {chosen[whom] !== undefined && (
                  <select
                    aria-label={`What ${label} may write`}
                    className="field w-auto py-1 text-sm"
                    value={chosen[whom]}
                    onChange={(event) => setChosen({ ...chosen, [whom]: event.target.value as Permission })}
                  >
                    {permissions.map(([may, text]) => (
                      <option key={may} value={may}>
                        {text}
                      </option>
                    ))}
                  </select>
                )}
              </li>
            ))}
          </ul>
        </fieldset>
        <Problem text={create.error} />
      </form>
    </Dialog>
  );
}

function useChoices(): { whom: string; label: string }[] {
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  const known = useRead(loadPeople).data;
  return useMemo(() => {
    const here = Object.values(members)
      .filter(({ id, kind, status }) => id !== myId && kind === 'human' && status === 'active')
      .map((member) => ({ whom: member.handle, label: `${member.displayName} (${calledAs(member)})` }));
    const elsewhere = (known ?? [])
      .filter(({ memberId, blocked, stranger }) => memberId === null && !blocked && !stranger)
      .map(({ address, name, isSample }) => ({ whom: address, label: isSample ? name : `${name} (${address})` }));
    return [...here, ...elsewhere].toSorted((a, b) => a.label.localeCompare(b.label));
  }, [members, myId, known]);
}
