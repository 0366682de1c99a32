import { useMember } from '../state/context.ts';
import type { Draft } from '../state/model.ts';
import { nameOf } from '../state/names.ts';
import { Avatar } from '../ui/avatar.tsx';
import { MessageBody } from './message-body.tsx';

/** What an agent has written so far: not said yet, and gone if it is not. */
export function DraftRow({ draft }: { draft: Draft }) {
  const author = useMember(draft.memberId);
  return (
    <div data-draft aria-hidden="true" className="mt-2 flex gap-3 px-4 py-1 opacity-55 sm:px-6">
      <span className="pt-0.5">
        <Avatar member={author} />
      </span>
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline gap-2 leading-snug">
          <span className="truncate font-semibold">{nameOf(author)}</span>
          <span className="text-xs text-ink-3">writing…</span>
        </div>
        <MessageBody body={draft.text} />
      </div>
    </div>
  );
}
