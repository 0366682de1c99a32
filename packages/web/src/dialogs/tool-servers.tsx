import { privateResultsText } from '@parley/core';
import type { ToolServer } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useWorkspace } from '../state/context.ts';
import { mayAct } from '../state/rights.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Problem } from '../ui/problem.tsx';
import { toast } from '../ui/toast.tsx';

type Tool = ToolServer['tools'][number];

const states: Record<ToolServer['state'], string> = {
  idle: 'Not used yet',
  connecting: 'Connecting',
  up: 'Up',
  down: 'Down',
};

/** Its server says less of it than counts. An access that the configuration sets is not the server's to change. */
const isWidened = ({ config }: ToolServer, { name, access, says }: Tool): boolean =>
  access === 'write' && says === 'read' && config?.tools?.[name] === undefined;

/** The tool servers there are, what each lists, and what of it waits for an admin. */
export function ToolServersDialog({ onClose }: { onClose: () => void }) {
  const { client } = useWorkspace();
  const [servers, setServers] = useState<ToolServer[] | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    client
      .call('listToolServers')
      .then((list) => setServers(list.servers))
      .catch((error: unknown) => setFailure(errorText(error)));
  }, [client]);
  const put = (server: ToolServer) => setServers((all) => all?.map((one) => (one.name === server.name ? server : one)) ?? null);
  return (
    <Dialog wide title="Tool servers" hint="Tool servers, and the tools that agents can use from each." onClose={onClose}>
      <Problem text={failure} />
      {servers === null && failure === null && <p className="py-6 text-center text-sm text-ink-3">Loading…</p>}
      {servers?.length === 0 && <p className="py-6 text-center text-sm text-ink-2">No tool servers. Add one with npx parley tools add.</p>}
      <ul aria-label="Tool servers" className="divide-y divide-line">
        {servers?.map((server) => (
          <Server key={server.name} server={server} onChange={put} />
        ))}
      </ul>
    </Dialog>
  );
}

function Server({ server, onChange }: { server: ToolServer; onChange: (server: ToolServer) => void }) {
  const { client } = useWorkspace();
  const manages = mayAct('tool.manage', useMe());
  const { name, state, tools, problem, owner } = server;
  const check = useAction(async () => onChange(await client.call('testToolServer', { params: { name } })));
  const accept = useAction(async ({ name: tool }: Tool) => {
    onChange(await client.call('acceptTools', { params: { name }, body: { tool } }));
    toast(`${tool} counts as read`);
  });
  const plain = tools.filter((tool) => !isWidened(server, tool));
  return (
    <li className="py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <span className="min-w-0">
          <span className="block truncate font-mono text-sm">{name}</span>
          <span className="block text-[13px] text-ink-3">{`${states[state]} · ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}`}</span>
        </span>
        {manages && (
          <Button aria-label={`Check ${name} now`} disabled={check.busy} onClick={() => check.act()}>
            Check now
          </Button>
        )}
      </div>
      {owner !== null && <p className="mt-1 text-[13px] text-ink-3">{`Private data of ${owner}. ${privateResultsText}`}</p>}
      {problem !== null && <p className="mt-1 text-[13px] break-words text-danger">{problem}</p>}
      <Problem text={check.error ?? accept.error} />
      <ul aria-label={`Tools of ${name}`} className="mt-1.5 space-y-1.5">
        {tools
          .filter((tool) => isWidened(server, tool))
          .map((tool) => (
            <li key={tool.name} className="flex items-start justify-between gap-3 rounded-lg bg-sunken px-3 py-2 text-sm">
              <span className="min-w-0">
                <span className="block font-mono break-words">{tool.name}</span>
                <span className="block">Counts as write. Its server now says read.</span>
                <span className="block text-[13px] text-ink-2">
                  Until an admin accepts this, agents ask for approval wherever a write needs it.
                </span>
              </span>
              {manages && (
                <Button aria-label={`Accept ${tool.name}`} disabled={accept.busy} onClick={() => accept.act(tool)}>
                  Accept
                </Button>
              )}
            </li>
          ))}
        {plain.length > 0 && (
          <li className="text-[13px] break-words text-ink-2">{plain.map((tool) => `${tool.name} (${tool.access})`).join(', ')}</li>
        )}
      </ul>
    </li>
  );
}
