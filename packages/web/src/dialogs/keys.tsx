import type { Secret } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { fullDate } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { nameOf } from '../state/names.ts';
import { withAgent } from '../state/work.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { toast } from '../ui/toast.tsx';

/** What models ask for where their agent names no key of its own. */
const providers = ['anthropic', 'openai'];

/** What agents need to reach a provider or a tool. Which are set, and by whom; a value is given here and never comes back. */
export function KeysDialog({ onClose }: { onClose: () => void }) {
  const { client, store } = useWorkspace();
  const [keys, setKeys] = useState<Secret[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [name, setName] = useState('');
  const [value, setValue] = useState('');
  useEffect(() => {
    client
      .call('listSecrets')
      .then(({ secrets }) => setKeys(secrets))
      .catch((error: unknown) => setFailure(errorText(error)));
  }, [client]);
  const reload = async () => {
    setKeys((await client.call('listSecrets')).secrets);
    // Which agents still need one has changed.
    const { agents } = await client.call('listAgents');
    store.update((state) => agents.reduce(withAgent, state));
  };
  const wanted = name.trim();
  const save = useAction(async () => {
    await client.call('setSecret', { params: { name: wanted }, body: { value } });
    setName('');
    setValue('');
    toast(`${wanted} is set`);
    await reload();
  });
  const remove = useAction(async (key: Secret) => {
    await client.call('removeSecret', { params: { name: key.name } });
    toast(`${key.name} is removed`);
    await reload();
  });
  return (
    <Dialog wide title="Keys" hint="What agents need for providers and tools. Kept sealed, and never shown again." onClose={onClose}>
      <Problem text={failure ?? remove.error} />
      {keys === null && failure === null && <p className="py-6 text-center text-sm text-ink-3">Loading…</p>}
      <ul aria-label="Keys" className="-mx-2">
        {keys?.map((key) => (
          <li key={key.name} className="flex items-center gap-2 rounded-lg px-2 py-1.5 hover:bg-hover">
            <KeyLine secret={key} />
            {key.from === 'stored' && <IconButton small icon="trash" label={`Remove ${key.name}`} onClick={() => remove.act(key)} />}
          </li>
        ))}
        {keys &&
          providers
            .filter((provider) => keys.every((key) => key.name !== provider))
            .map((provider) => (
              <li key={provider} className="flex items-center gap-2 px-2 py-1.5">
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-mono text-sm">{provider}</span>
                  <span className="block text-[13px] text-ink-3">not set</span>
                </span>
              </li>
            ))}
      </ul>
      <form
        className="mt-4 border-t border-line pt-4"
        aria-label="Set a key"
        onSubmit={(event) => {
          event.preventDefault();
          save.act();
        }}
      >
        <div className="grid gap-x-3 gap-y-2 sm:grid-cols-2">
          <Field label="Name" placeholder="anthropic" spellCheck={false} value={name} onChange={(event) => setName(event.target.value)} />
          <Field
            label="Value"
            type="password"
            autoComplete="new-password"
            value={value}
            onChange={(event) => setValue(event.target.value)}
          />
        </div>
        <Problem text={save.error} />
        <div className="mt-2 flex justify-end">
          <Button type="submit" look="primary" disabled={save.busy || wanted === '' || value === ''}>
            {keys?.some((key) => key.name === wanted) ? 'Replace' : 'Set'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

const places = { environment: 'from the environment of the hub', file: 'from a file beside the hub', stored: 'set' };

function KeyLine({ secret: { name, from, hosts, setBy, at, problem } }: { secret: Secret }) {
  const by = useSelect((state) => (setBy === null ? undefined : state.members[setBy]));
  const when = at === null ? '' : `, ${fullDate(at)}`;
  return (
    <span className="min-w-0 flex-1">
      <span className="block truncate font-mono text-sm">{name}</span>
      <span className="block text-[13px] text-ink-3">{`${places[from]}${by ? ` by ${nameOf(by)}` : ''}${when}`}</span>
      {hosts.length > 0 && <span className="block text-[13px] break-words text-ink-3">{`Sent to ${hosts.join(', ')} only`}</span>}
      {problem !== null && <span className="block text-[13px] break-words text-danger">{problem}</span>}
    </span>
  );
}
