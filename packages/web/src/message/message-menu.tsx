import type { Message, MyConversation } from '@parley/protocol';
import { useState } from 'react';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { messagePath } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useWorkspace } from '../state/context.ts';
import { mayIn } from '../state/rights.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/copy-link.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { MenuItem, MenuLine } from '../ui/menu.tsx';
import { Popover } from '../ui/popover.tsx';
import { Problem } from '../ui/problem.tsx';
import { toast } from '../ui/toast.tsx';
import { ReactionPicker } from './reactions.tsx';

const WhyDialog = lazyComponent(async () => (await import('../why/why-dialog.tsx')).WhyDialog);
const AssignDialog = lazyComponent(async () => (await import('./assign-dialog.tsx')).AssignDialog);

interface Props {
  message: Message;
  home: MyConversation;
  onEdit: () => void;
  onThread: (() => void) | null;
}

export function MessageMenu({ message, home, onEdit, onThread }: Props) {
  const me = useMe();
  const [deleting, setDeleting] = useState(false);
  const [asking, setAsking] = useState(false);
  const [assigning, setAssigning] = useState(false);
  const archived = home.archivedAt !== null;
  const mayEdit = !archived && mayIn('message.edit', me, home, message);
  const mayAssign = !archived && mayIn('message.assign', me, home);
  const mayDelete = mayIn('message.delete', me, home, message);
  const copy = async () => {
    const url = location.origin + messagePath(message.conversationId, message.id);
    toast((await copyText(url)) ? 'Link copied' : url);
  };
  return (
    <>
      <div
        role="toolbar"
        aria-label="Message actions"
        className="row-actions absolute -top-3.5 right-4 z-10 flex gap-px rounded-lg bg-raised p-0.5 shadow-pop sm:right-6"
      >
        {mayIn('message.react', me, home) && (
          <ReactionPicker
            message={message}
            renderTrigger={(props) => <IconButton small icon="smile" label="Add a reaction" {...props} />}
          />
        )}
        {onThread && <IconButton small icon="thread" label="Reply in thread" onClick={onThread} />}
        <Popover
          label="More actions"
          className="min-w-44"
          renderTrigger={(props) => <IconButton small icon="more" label="More actions" {...props} />}
        >
          {(close) => {
            const pick = (run: () => void) => () => {
              close();
              run();
            };
            return (
              <>
                <MenuItem icon="why" onSelect={pick(() => setAsking(true))}>
                  Why?
                </MenuItem>
                <MenuItem icon="link" onSelect={pick(() => void copy())}>
                  Copy link
                </MenuItem>
                {mayAssign && (
                  <MenuItem icon="redirect" onSelect={pick(() => setAssigning(true))}>
                    Assign to…
                  </MenuItem>
                )}
                {mayEdit && (
                  <MenuItem icon="edit" onSelect={pick(onEdit)}>
                    Edit message
                  </MenuItem>
                )}
                {mayDelete && (
                  <>
                    <MenuLine />
                    <MenuItem icon="trash" danger onSelect={pick(() => setDeleting(true))}>
                      Delete message
                    </MenuItem>
                  </>
                )}
              </>
            );
          }}
        </Popover>
      </div>
      {asking && <WhyDialog message={message} home={home} onClose={() => setAsking(false)} />}
      {assigning && <AssignDialog message={message} home={home} onClose={() => setAssigning(false)} />}
      {deleting && <DeleteDialog message={message} onClose={() => setDeleting(false)} />}
    </>
  );
}

function DeleteDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { client, history } = useWorkspace();
  const { act, busy, error } = useAction(async () => {
    history.put(await client.call('deleteMessage', { params: { messageId: message.id } }));
    onClose();
  });
  return (
    <Dialog
      title="Delete this message?"
      hint="Its text and files are erased in every version. This cannot be undone."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="danger" disabled={busy} onClick={act}>
            Delete
          </Button>
        </>
      }
    >
      <blockquote className="line-clamp-4 border-l-2 border-line pl-3 text-ink-2">{message.body}</blockquote>
      <div className="mt-3">
        <Problem text={error} />
      </div>
    </Dialog>
  );
}
