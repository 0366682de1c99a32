import type { Message, MessageVersion } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { fullDate } from '../lib/time.ts';
import { useWorkspace } from '../state/context.ts';
import { Popover } from '../ui/popover.tsx';
import { MessageBody } from './message-body.tsx';

/** What stood here before is one click away: an edit is never a secret. */
export function EditedMark({ message }: { message: Message }) {
  return (
    <Popover
      label="Earlier versions"
      kind="dialog"
      align="start"
      className="w-96"
      renderTrigger={(props) => (
        <button
          type="button"
          {...props}
          title={message.editedAt === null ? '' : fullDate(message.editedAt)}
          className="rounded text-xs text-ink-3 hover:underline"
        >
          edited
        </button>
      )}
    >
      {() => <Versions message={message} />}
    </Popover>
  );
}

function Versions({ message }: { message: Message }) {
  const { client } = useWorkspace();
  const [versions, setVersions] = useState<MessageVersion[] | null>(null);
  const [more, setMore] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [before, setBefore] = useState<number | undefined>();
  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      try {
        const query = before === undefined ? {} : { before };
        const page = await client.call('listVersions', { params: { messageId: message.id }, query }, { signal: stop.signal });
        const earlier = page.versions.filter((version) => version.version < message.version).sort((a, b) => b.version - a.version);
        setVersions((shown) => (before === undefined ? earlier : [...(shown ?? []), ...earlier]));
        setMore(page.more);
      } catch (failure) {
        if (!stop.signal.aborted) setError(errorText(failure));
      }
    };
    void load();
    return () => stop.abort();
  }, [client, message.id, message.version, before]);
  return (
    <div className="space-y-3 p-2.5 text-sm">
      <h3 className="font-semibold">Earlier versions</h3>
      {error && <p className="text-danger">{error}</p>}
      {versions?.length === 0 && <p className="text-ink-3">None is kept.</p>}
      {versions?.map((version) => (
        <div key={version.version} className="border-l-2 border-line pl-3">
          <div className="text-xs text-ink-3">{fullDate(version.at)}</div>
          {version.body === null ? <span className="text-ink-3 italic">deleted</span> : <MessageBody body={version.body} />}
        </div>
      ))}
      {more && (
        <button type="button" className="text-accent underline" onClick={() => setBefore(versions?.at(-1)?.version)}>
          Show earlier versions
        </button>
      )}
    </div>
  );
}
