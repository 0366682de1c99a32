import type { CalledRole } from '@parley/protocol';
import { ParleyError } from '@parley/sdk';
import { useState } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { mayAct } from '../state/rights.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Problem } from '../ui/problem.tsx';

const plain = (typed: string): string => typed.trim().replace(/^[@^]/, '');

/** Handles that several members answer to, and who does. The state follows the stream. */
export function Roles() {
  const { client } = useWorkspace();
  const roles = useSelect((state) => state.roles);
  const members = useSelect((state) => state.members);
  const manages = mayAct('role.manage', useMe());
  const [handle, setHandle] = useState('');
  const [holders, setHolders] = useState('');
  const save = useAction(async () => {
    const wanted = holders.split(/[\s,]+/).filter((name) => name !== '');
    const holderIds = wanted.map((name) => {
      const found = Object.values(members).find((member) => member.handle.toLowerCase() === plain(name).toLowerCase());
      if (!found) throw new ParleyError('not_found', `There is no member ${name}.`);
      return found.id;
    });
    const known = Object.values(roles).find((role) => role.handle.toLowerCase() === plain(handle).toLowerCase());
    if (known) await client.call('editRole', { params: { roleId: known.id }, body: { holderIds } });
    else await client.call('addRole', { body: { handle: plain(handle), holderIds } });
    setHandle('');
    setHolders('');
  });
  const remove = useAction(async (role: CalledRole) => {
    await client.call('removeRole', { params: { roleId: role.id } });
  });
  const shown = Object.values(roles).sort((a, b) => a.handle.localeCompare(b.handle));
  if (shown.length === 0 && !manages) return null;
  const called = (id: string): string => {
    const member = members[id];
    return member ? `${member.kind === 'agent' ? '^' : '@'}${member.handle}` : '';
  };
  return (
    <section className="mt-5 border-t border-line pt-4" aria-label="Roles">
      <h3 className="mb-2 text-sm font-semibold">Roles</h3>
      <ul>
        {shown.map((role) => (
          <li key={role.id} className="flex items-center gap-2 py-1 text-sm">
            <span className="min-w-0 flex-1 truncate">
              <span className="font-medium">^{role.handle}</span>{' '}
              <span className="text-ink-3">{role.holderIds.map(called).join(' ') || 'nobody holds it'}</span>
            </span>
            {manages && <IconButton small icon="close" label={`Remove ^${role.handle}`} onClick={() => remove.act(role)} />}
          </li>
        ))}
      </ul>
      <Problem text={save.error ?? remove.error} />
      {manages && (
        <form
          className="mt-2 flex gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            save.act();
          }}
        >
          <input
            className="field w-32"
            placeholder="oncall"
            aria-label="Role"
            value={handle}
            onChange={(event) => setHandle(event.target.value)}
          />
          <input
            className="field flex-1"
            placeholder="^AGENT @person"
            aria-label="Who holds it"
            value={holders}
            onChange={(event) => setHolders(event.target.value)}
          />
          <Button type="submit" disabled={save.busy || plain(handle) === ''}>
            Save
          </Button>
        </form>
      )}
    </section>
  );
}
