import type { AddPeerAction, MyConversation, PeerActions } from '@parley/protocol';
import type { Client } from '@parley/sdk';
import { useId, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Select } from '../../ui/select.tsx';
import { FailedRead } from '../failed-read.tsx';
import { useRead } from '../use-read.ts';

const load = (client: Client) => client.call('listPeerActions');
const kinds = { webhook: 'Webhook', tool: 'Tool of yours', channel: 'Post to a channel' } as const;

/** What one's peer does when both have confirmed, besides the event in the calendar. */
export function OwnActions() {
  const { client } = useWorkspace();
  const read = useRead(load);
  const remove = useAction(async (name: string) => read.replace(await client.call('removePeerAction', { query: { name } })));
  if (!read.data) return <FailedRead read={read} quiet={false} />;
  const { actions, tools } = read.data;
  return (
    <>
      <FailedRead read={read} />
      {actions.length === 0 ? (
        <p className="text-sm text-ink-3">None yet.</p>
      ) : (
        <div className="overflow-x-auto">
          <table aria-label="Your actions" className="w-full text-left text-sm">
            <thead className="text-xs text-ink-3">
              <tr>
                {['Name', 'Kind', 'Calls', 'Undone by'].map((title) => (
                  <th key={title} scope="col" className="py-1 pr-3 font-medium">
                    {title}
                  </th>
                ))}
                <th scope="col" className="sr-only">
                  Remove
                </th>
              </tr>
            </thead>
            <tbody>
              {actions.map(({ name, kind, run, undo, audience }) => (
                <tr key={name} className="border-t border-line align-top">
                  <th scope="row" className="py-1.5 pr-3 font-medium [overflow-wrap:anywhere]">
                    {name}
                  </th>
                  <td className="py-1.5 pr-3 whitespace-nowrap">{kinds[kind]}</td>
                  <td className="min-w-32 py-1.5 pr-3 [overflow-wrap:anywhere]">{audience ?? run}</td>
                  <td className="min-w-32 py-1.5 pr-3 [overflow-wrap:anywhere]">
                    {kind === 'channel' ? 'Deleting the message' : (undo ?? <span className="text-ink-3">Cannot be undone</span>)}
                  </td>
                  <td className="py-0.5 text-right">
                    <IconButton small icon="trash" label={`Remove ${name}`} disabled={remove.busy} onClick={() => remove.act(name)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Problem text={remove.error} />
      <AddAction tools={tools} onAdded={read.replace} />
    </>
  );
}

const isOpenToAll = ({ kind, visibility, joined, archivedAt }: MyConversation): boolean =>
  kind === 'channel' && visibility === 'public' && joined && archivedAt === null;

const blank = { name: '', run: '', undo: '', secret: '' };

function AddAction({ tools, onAdded }: { tools: readonly string[]; onAdded: (actions: PeerActions) => void }) {
  const { client } = useWorkspace();
  const list = useId();
  const [kind, setKind] = useState<AddPeerAction['kind']>('webhook');
  const [draft, setDraft] = useState(blank);
  const add = useAction(async (body: AddPeerAction) => {
    onAdded(await client.call('addPeerAction', { body }));
    setDraft(blank);
  });
  const choose = (next: string) => {
    setKind(next as typeof kind);
    setDraft({ ...draft, run: '', undo: '' });
  };
  const bind = (field: keyof typeof blank) => ({
    value: draft[field],
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => setDraft({ ...draft, [field]: event.target.value }),
    spellCheck: false,
  });
  const place = kind === 'webhook' ? { placeholder: 'https://', inputMode: 'url' as const } : { placeholder: 'server/tool', list };
  const conversations = useSelect((state) => state.conversations);
  const channels = Object.values(conversations).filter(isOpenToAll);
  const [name, run, undo] = [draft.name.trim(), draft.run.trim(), draft.undo.trim()];
  return (
    <form
      aria-label="Add an action"
      className="mt-2.5 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        const secret = kind === 'webhook' && draft.secret !== '' ? { secret: draft.secret } : {};
        add.act({ name, kind, run, undo: undo === '' ? null : undo, ...secret });
      }}
    >
      <div className="grid gap-x-3 gap-y-2 sm:grid-cols-2">
        <Field label="Name" hint="Proposals show it to the other person" placeholder="book_table" maxLength={64} {...bind('name')} />
        <Select label="Kind" value={kind} onChange={choose}>
          {Object.entries(kinds)
            .filter(([value]) => value !== 'tool' || tools.length > 0)
            .map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
        </Select>
        {kind === 'channel' ? (
          <Select label="Channel" value={draft.run} onChange={(id) => setDraft({ ...draft, run: id })}>
            <option value="">Choose a public channel</option>
            {channels.map(({ id, name: title }) => (
              <option key={id} value={id}>{`#${title ?? ''}`}</option>
            ))}
          </Select>
        ) : (
          <Field label={kind === 'webhook' ? 'Address to call' : 'Tool to call'} {...place} {...bind('run')} />
        )}
        {kind !== 'channel' && (
          <Field
            label={kind === 'webhook' ? 'Address that undoes it' : 'Tool that undoes it'}
            hint="Left empty, it cannot be undone"
            {...place}
            {...bind('undo')}
          />
        )}
        {kind === 'webhook' && (
          <Field
            label="Secret that signs its calls"
            hint="At least 16 characters. Your peer keeps it sealed and never shows it"
            type="password"
            autoComplete="new-password"
            minLength={16}
            maxLength={200}
            {...bind('secret')}
          />
        )}
      </div>
      <datalist id={list}>
        {tools.map((tool) => (
          <option key={tool} value={tool}>
            {tool}
          </option>
        ))}
      </datalist>
      <Problem text={add.error} />
      <div className="mt-2 flex justify-end">
        <Button type="submit" disabled={add.busy || name === '' || run === ''}>
          Add
        </Button>
      </div>
    </form>
  );
}
