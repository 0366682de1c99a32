import type { OutsideRequest } from '@parley/protocol';
import { useState } from 'react';
import { fullDate } from '../../lib/time.ts';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { CopyLink } from '../../ui/copy-link.tsx';
import { Problem } from '../../ui/problem.tsx';

interface Props {
  threadId: string;
  link: OutsideRequest['link'];
  name: string;
  onChanged: () => void;
}

/** The link itself is shown once: its key is nowhere else on this page. */
export function RequestLinkPart({ threadId, link, name, onChanged }: Props) {
  const { client } = useWorkspace();
  const [url, setUrl] = useState<string | null>(null);
  const make = useAction(async () => {
    setUrl((await client.call('makeRequestLink', { params: { threadId } })).url);
    onChanged();
  });
  const revoke = useAction(async () => {
    await client.call('revokeRequestLink', { params: { threadId } });
    setUrl(null);
    onChanged();
  });
  const isOpen = link?.state === 'made' || link?.state === 'opened';
  return (
    <div>
      <h3 className="font-semibold">Or send a link</h3>
      <p className="mt-1 text-sm text-ink-2">
        {name} opens it once and answers on a page of this hub, without an account. The content is sealed, and the key is only in the link.
        The hub that serves the page could read it.
      </p>
      {link && <p className="mt-1.5 text-sm font-medium">{linkText(link, name)}</p>}
      {url !== null && link?.state === 'made' && (
        <div className="mt-2">
          <CopyLink url={url} label={`Link for ${name}`} />
          {isLocal(url) && (
            <p className="mt-1.5 text-sm text-notice">
              This link opens on this machine only. Send {name} the text, or give the hub an address with PARLEY_PUBLIC_URL.
            </p>
          )}
        </div>
      )}
      {!isSecureContext && <p className="mt-1.5 text-sm text-notice">A link needs a hub with https. Send the text instead.</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        {!(url !== null && link?.state === 'made') && (
          <Button icon="link" disabled={make.busy || !isSecureContext} onClick={make.act}>
            {link?.state === 'made' ? 'Show the link' : link ? 'Make a new link' : 'Make a link'}
          </Button>
        )}
        {isOpen && (
          <Button disabled={revoke.busy} onClick={revoke.act}>
            Revoke the link
          </Button>
        )}
      </div>
      <Problem text={make.error ?? revoke.error} />
    </div>
  );
}

const isLocal = (url: string): boolean => /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

function linkText({ state, at, expiresAt }: NonNullable<OutsideRequest['link']>, name: string): string {
  if (state === 'made') return `Not opened yet. The link expires on ${fullDate(expiresAt)}.`;
  if (state === 'opened') return `Opened on ${fullDate(at)}, not answered yet. If it was not ${name}, revoke it.`;
  if (state === 'answered') return `Answered on ${fullDate(at)}.`;
  return state === 'revoked' ? 'You revoked the link.' : 'The link has expired.';
}
