import type { Attachment, Message, MyConversation } from '@parley/protocol';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { DragEvent, ReactNode } from 'react';
import { BookContext, useRoom } from '../forecast/context.ts';
import { errorText } from '../lib/error-text.ts';
import { useMe, useSelect, useWorkspace } from '../state/context.ts';
import { mayIn } from '../state/rights.ts';
import { toast } from '../ui/toast.tsx';
import { Composer } from './composer.tsx';
import { ComposeContext } from './contexts.ts';
import { TimelineView } from './timeline.tsx';
import { TypingLine } from './typing-line.tsx';
import { useUploads } from './use-uploads.ts';

interface Props {
  conversationId: string | null;
  /** Set in a thread: the message it hangs on. */
  root: string | null;
  home: MyConversation;
  label: string;
  placeholder: string;
  target: { messageId: string } | null;
  onThread: ((message: Message) => void) | null;
  lead?: ReactNode;
  leadAt?: number;
  beginning?: ReactNode;
  /** Shown instead of the composer. */
  closed?: ReactNode;
}

/** What is said and the box to say more: a conversation's middle, and the whole of a thread's panel. */
export function ConversationPane({
  conversationId,
  root,
  home,
  label,
  placeholder,
  target,
  onThread,
  lead,
  leadAt,
  beginning,
  closed,
}: Props) {
  const { client, outbox, store, refreshWork } = useWorkspace();
  const me = useMe();
  const uploads = useUploads();
  const { room, book } = useRoom(home);
  const composer = useRef<((text: string) => void) | null>(null);
  const compose = useCallback((text: string) => composer.current?.(text), []);
  useEffect(() => {
    // Facts bring what happens from now on; a failure leaves out what was before, which the panel and "why?" still tell.
    if (conversationId !== null) refreshWork(conversationId).catch(() => {});
  }, [conversationId, refreshWork]);
  const [editing, setEditing] = useState<string | null>(null);
  const [sent, setSent] = useState(0);
  const [dropping, setDropping] = useState(false);
  const all = useSelect((state) => state.pending);
  const pending = useMemo(
    () => all.filter((item) => (root ? item.root === root : item.root === null && item.conversationId === conversationId)),
    [all, root, conversationId],
  );

  const send = useCallback(
    (body: string, attachments: Attachment[], urgent: boolean) => {
      const say = () => {
        outbox.send({ conversationId, root, body, attachments, ...(urgent ? { urgent } : {}) });
        setSent((count) => count + 1);
      };
      const command = async () => {
        // Said as a message it asks for the same.
        const handle = await import('../forecast/leave-command.ts')
          .then(({ leaveCommand }) => leaveCommand(body)?.toLowerCase())
          .catch(() => undefined);
        const agent = room?.members.find((member) => member.kind === 'agent' && member.handle.toLowerCase() === handle);
        if (!agent || conversationId === null) return say();
        const params = { conversationId };
        client.call('askToLeave', { params, body: { memberId: agent.id } }).catch((error: unknown) => toast(errorText(error), 'danger'));
      };
      if (body.startsWith('/') && attachments.length === 0) void command();
      else say();
    },
    [client, outbox, room, conversationId, root],
  );
  const editLast = () => {
    const timeline = store.get().timelines[conversationId ?? ''];
    const mine = timeline?.ids.findLast((id) => {
      const message = timeline.messages[id]!;
      return message.authorId === me.id && message.deletedAt === null && mayIn('message.edit', me, home, message);
    });
    if (mine) setEditing(mine);
  };

  const over = (event: DragEvent) => {
    if (closed || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setDropping(true);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setDropping(false);
    uploads.add(event.dataTransfer.files);
  };
  return (
    <div
      role="presentation"
      onDragOver={over}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node | null) && setDropping(false)}
      onDrop={drop}
      className="relative flex min-h-0 flex-1 flex-col"
    >
      <BookContext value={book}>
        <ComposeContext value={compose}>
          <TimelineView
            conversationId={conversationId}
            home={home}
            pending={pending}
            label={label}
            target={target}
            editing={editing}
            onEdit={setEditing}
            onThread={onThread}
            lead={lead}
            {...(leadAt === undefined ? {} : { leadAt })}
            beginning={beginning}
            sent={sent}
          />
        </ComposeContext>
      </BookContext>
      {closed ?? (
        <>
          <TypingLine conversationId={conversationId} />
          <Composer
            draftKey={root ?? conversationId ?? ''}
            conversationId={conversationId}
            root={root}
            room={room}
            compose={composer}
            placeholder={placeholder}
            uploads={uploads}
            onSend={send}
            onEditLast={editLast}
          />
        </>
      )}
      {dropping && (
        <div className="pointer-events-none absolute inset-2 z-20 flex items-center justify-center rounded-xl border-2 border-dashed border-accent bg-accent-soft/90 font-medium text-accent-ink">
          Drop to attach
        </div>
      )}
    </div>
  );
}
