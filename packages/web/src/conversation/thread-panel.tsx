import type { MyConversation } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { MessageRow } from '../message/message-row.tsx';
import { useSelect, useWorkspace } from '../state/context.ts';
import { titleOf } from '../state/names.ts';
import { PanelHeader } from './panel-header.tsx';
import { ConversationPane } from './conversation-pane.tsx';

interface Props {
  home: MyConversation;
  rootId: string;
  target: { messageId: string } | null;
  onClose: () => void;
}

export function ThreadPanel({ home, rootId, target, onClose }: Props) {
  const { history, refreshConversation } = useWorkspace();
  const root = useSelect((state) => state.timelines[home.id]?.messages[rootId]);
  const place = useSelect((state) => `${home.kind === 'channel' ? '#' : ''}${titleOf(home, state)}`);
  const [error, setError] = useState<string | null>(null);
  const [editing, setEditing] = useState<string | null>(null);
  useEffect(() => {
    history.loadOne(home.id, rootId).catch((failure: unknown) => setError(errorText(failure)));
  }, [history, home.id, rootId]);

  const threadId = root?.threadId ?? null;
  const known = useSelect((state) => threadId !== null && state.conversations[threadId] !== undefined);
  useEffect(() => {
    // Its read cursor is kept like any conversation's; without it the panel works all the same.
    if (threadId !== null && !known) refreshConversation(threadId).catch(() => {});
  }, [threadId, known, refreshConversation]);

  const closed = home.archivedAt !== null || !home.joined;
  return (
    <>
      <PanelHeader title="Thread" place={place} onClose={onClose} />
      {error && <p className="px-5 py-6 text-ink-2">{error}</p>}
      {root && (
        <ConversationPane
          conversationId={threadId}
          root={rootId}
          home={home}
          label="Replies"
          placeholder="Reply"
          target={target}
          onThread={null}
          leadAt={root.createdAt}
          lead={
            <div className="mb-1 pt-2">
              <MessageRow
                message={root}
                compact={false}
                home={home}
                editing={editing === rootId}
                highlighted={null}
                tabStop={false}
                onEdit={setEditing}
                onThread={null}
              />
              <div className="mt-2 flex items-center gap-3 px-4 text-xs font-medium text-ink-3 sm:px-6">
                {root.threadReplies === 0 ? 'No replies yet' : root.threadReplies === 1 ? '1 reply' : `${root.threadReplies} replies`}
                <span className="h-px flex-1 bg-line" />
              </div>
            </div>
          }
          {...(closed ? { closed: <p className="px-5 py-4 text-sm text-ink-3">You can read this thread, but not reply in it.</p> } : {})}
        />
      )}
    </>
  );
}
