import type { OpenedLink, WholeSpace } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

interface Props {
  spaceId: string;
  field: string;
  at: number;
  link: WholeSpace['fields'][number]['links'][number];
  onClose: () => void;
}

/** Nothing is read before one says so, and only with a tool server of one's own. The text is for oneself. */
export function OpenLink({ spaceId, field, at, link, onClose }: Props) {
  const { client } = useWorkspace();
  const [server, setServer] = useState(link.server ?? '');
  const [opened, setOpened] = useState<OpenedLink | null>(null);
  const open = useAction(async () => {
    const body = { field, at, ...(server.trim() === '' ? {} : { server: server.trim() }) };
    setOpened(await client.call('openSpaceLink', { params: { spaceId }, body }));
  });
  return (
    <Dialog
      title={link.name}
      hint={link.uri}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" disabled={open.busy} onClick={open.act}>
            {open.busy ? 'Reading…' : opened ? 'Read again' : 'Read'}
          </Button>
        </>
      }
    >
      <Field
        label="Your tool server"
        hint="Others learn nothing of it. What it reads is shown to you alone."
        spellCheck={false}
        value={server}
        onChange={(event) => setServer(event.target.value)}
      />
      <Problem text={open.error} />
      {opened && (
        <>
          <pre className="max-h-80 overflow-auto rounded-lg bg-sunken p-3 text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">
            {opened.text}
          </pre>
          {opened.isCut && <p className="mt-1 text-xs text-ink-3">It is longer; this is its beginning.</p>}
        </>
      )}
    </Dialog>
  );
}
