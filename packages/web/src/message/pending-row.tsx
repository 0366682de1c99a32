import { useMe, useWorkspace } from '../state/context.ts';
import type { PendingMessage } from '../state/model.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button } from '../ui/button.tsx';
import { Attachments } from './attachments.tsx';
import { MessageBody } from './message-body.tsx';

/** A message on its way: already in its place, and paler until the hub has it. */
export function PendingRow({ item, compact }: { item: PendingMessage; compact: boolean }) {
  const me = useMe();
  const { outbox } = useWorkspace();
  return (
    <div
      data-pending={item.failed === null ? 'sending' : 'failed'}
      className={`flex gap-3 px-4 sm:px-6 ${compact ? 'py-0.5' : 'mt-2 py-1'}`}
    >
      {compact ? (
        <span className="w-9 shrink-0" />
      ) : (
        <span className="pt-0.5 opacity-60">
          <Avatar member={me} />
        </span>
      )}
      <div className="min-w-0 flex-1">
        {!compact && (
          <div className="flex items-baseline gap-2 leading-snug">
            <span className="truncate font-semibold opacity-60">{me.displayName}</span>
            {item.failed === null && <span className="text-xs text-ink-3">sending…</span>}
          </div>
        )}
        <div className="opacity-60">
          {item.body !== '' && <MessageBody body={item.body} />}
          <Attachments files={item.attachments} />
        </div>
        {item.asksFor !== null && (
          <div role="alert" className="mt-1 flex flex-wrap items-center gap-2 rounded-lg bg-notice-soft px-3 py-2 text-sm text-notice">
            <span className="min-w-0 flex-1 basis-48">
              <b className="font-semibold">^ALL</b> wakes {item.asksFor} agents, a turn each. {item.cost} It has not been sent yet.
            </span>
            <Button look="primary" onClick={() => outbox.confirm(item.key)} className="min-h-8">
              Wake all {item.asksFor}
            </Button>
            <Button onClick={() => outbox.discard(item.key)} className="min-h-8">
              Do not send
            </Button>
          </div>
        )}
        {item.failed !== null && item.asksFor === null && (
          <div role="alert" className="mt-0.5 text-sm text-danger">
            Not sent. {item.failed}{' '}
            <button type="button" onClick={() => outbox.retry(item.key)} className="rounded font-medium underline underline-offset-2">
              Try again
            </button>{' '}
            <button type="button" onClick={() => outbox.discard(item.key)} className="rounded font-medium underline underline-offset-2">
              Discard
            </button>
          </div>
        )}
      </div>
    </div>
  );
}
