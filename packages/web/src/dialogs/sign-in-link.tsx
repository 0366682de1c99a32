import type { CreatedLink } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { fullDate } from '../lib/time.ts';
import { useMe, useWorkspace } from '../state/context.ts';
import { CopyLink } from '../ui/copy-link.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { LocalLinkWarning } from '../ui/local-link-warning.tsx';
import { Problem } from '../ui/problem.tsx';

/** Your own way in on a phone, or back in after the cookie is gone. */
export function SignInLinkDialog({ onClose }: { onClose: () => void }) {
  const { client } = useWorkspace();
  const me = useMe();
  const [link, setLink] = useState<CreatedLink | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    client.call('createSignInLink', { body: { memberId: me.id } }).then(setLink, (failure: unknown) => setError(errorText(failure)));
  }, [client, me.id]);
  return (
    <Dialog title="Sign in on another device" hint="Open this link there. It signs you in once; do not share it." onClose={onClose}>
      <Problem text={error} />
      {link && (
        <>
          <CopyLink url={link.url} label="Sign-in link" />
          <p className="mt-3 text-[13px] text-ink-3">Valid until {fullDate(link.expiresAt)}.</p>
          <LocalLinkWarning url={link.url} aim="To sign in elsewhere" />
        </>
      )}
    </Dialog>
  );
}
