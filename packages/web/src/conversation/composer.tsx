import { maxBodyLength } from '@parley/protocol';
import type { Attachment } from '@parley/protocol';
import { useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { ClipboardEvent, KeyboardEvent, RefObject } from 'react';
import type { Here } from '../forecast/room.ts';
import { ForecastLine } from '../forecast/forecast-line.tsx';
import type { Doubt } from '../forecast/forecast-words.ts';
import { Suggestions } from '../forecast/suggestions.tsx';
import { useCompletion } from '../forecast/use-completion.ts';
import { useForecast } from '../forecast/use-forecast.ts';
import { useMedia } from '../lib/use-media.ts';
import { recall, remember } from '../lib/local-storage.ts';
import { useSelect } from '../state/context.ts';
import { IconButton } from '../ui/button.tsx';
import { GrowingArea } from '../ui/growing-area.tsx';
import { PickedFiles } from './picked-files.tsx';
import { useFinishComposing } from '../tasks/use-task.ts';
import { useTyping } from './use-send-typing.ts';
import type { Uploads } from './use-uploads.ts';

interface Props {
  /** Drafts are kept under it. */
  draftKey: string;
  conversationId: string | null;
  /** In a thread: the message it hangs on. */
  root: string | null;
  /** Undefined: not known yet. */
  room: Here | undefined;
  /** Filled with a way to put a text in, for its writer to look at and send. */
  compose: RefObject<((text: string) => void) | null>;
  placeholder: string;
  uploads: Uploads;
  onSend: (body: string, attachments: Attachment[], urgent: boolean) => void;
  /** Up in an empty box. */
  onEditLast: () => void;
}

const nobody: Here['members'] = [];
const startNow = 'Agents start when you have finished writing. Press Enter to start them now.';

export function Composer({ draftKey, conversationId, root, room, compose, placeholder, uploads, onSend, onEditLast }: Props) {
  const { typed, sent } = useTyping(conversationId);
  const myId = useSelect((state) => state.myId);
  const [body, setBody] = useState(() => recall(`draft.${draftKey}`) ?? '');
  const [urgent, setUrgent] = useState(false);
  const finish = useFinishComposing();
  const composing = useSelect((state) =>
    Object.values(state.tasks).some(
      (task) => task.composingUntil !== null && task.requesterId === state.myId && (task.askedIn ?? task.conversationId) === conversationId,
    ),
  );
  const area = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  // On a touch screen, focusing would throw up the keyboard over what one came to read.
  const pointer = useMedia('(hover: hover)');
  useEffect(() => {
    if (pointer) area.current?.focus({ preventScroll: true });
  }, [pointer]);

  const change = (text: string) => {
    setBody(text);
    remember(`draft.${draftKey}`, text);
    if (text.trim() !== '') typed();
  };

  useImperativeHandle(compose, () => (text: string) => {
    change(text);
    area.current?.focus();
  });

  const uploading = uploads.files.some((file) => file.attachment === null && file.error === null);
  const attachments = uploads.files.flatMap((file) => file.attachment ?? []);
  const members = useSelect((state) => state.members);
  const elsewhere = useMemo(() => {
    // Nobody is brought into a DM.
    if (room?.kind !== 'channel') return nobody;
    const ids = new Set(room.members.map(({ id }) => id));
    return Object.values(members).filter(({ id }) => !ids.has(id));
  }, [members, room]);
  const completion = useCompletion({ area, text: body, onText: change, here: room?.members ?? nobody, elsewhere, myId });
  const forecast = useForecast({ room, conversationId, root, text: completion.ahead, attachments: attachments.length, urgent });
  const ready = !uploading && (body.trim() !== '' || attachments.length > 0) && body.length <= maxBodyLength;
  const send = () => {
    if (!ready) return;
    onSend(body.trim(), attachments, urgent);
    setUrgent(false);
    uploads.clear();
    sent();
    completion.onCaret(null);
    change('');
    area.current?.focus();
  };
  const replace = ({ start, end, written, nearest }: Doubt) => {
    if (body.slice(start, end) === written) change(body.slice(0, start) + nearest + body.slice(end));
    area.current?.focus();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that picks a word from an input method is not meant for us.
    if (event.nativeEvent.isComposing) return;
    if (completion.onKey(event)) event.preventDefault();
    else if (event.key === 'Enter' && !event.shiftKey && composing && body.trim() === '' && attachments.length === 0)
      void finish(conversationId!);
    else if (event.key === 'Enter' && !event.shiftKey) send();
    else if (event.key === 'ArrowUp' && body === '' && !event.shiftKey) onEditLast();
    else return;
    event.preventDefault();
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    uploads.add(files);
  };
  const suggesting = completion.choices.length > 0;

  return (
    <div className="relative px-3 pb-[max(0.5rem,env(safe-area-inset-bottom))] sm:px-5">
      <Suggestions {...completion} />
      <div className="rounded-xl border border-line-strong bg-canvas transition-shadow focus-within:border-accent-ink focus-within:shadow-[0_0_0_1px_var(--accent-ink)]">
        <PickedFiles files={uploads.files} onRemove={uploads.remove} />
        <div className="flex items-end gap-1 p-1.5">
          <input
            ref={picker}
            type="file"
            multiple
            hidden
            aria-label="Files to attach"
            onChange={(event) => {
              uploads.add(event.target.files ?? []);
              event.target.value = '';
              area.current?.focus();
            }}
          />
          <IconButton icon="clip" label="Attach files" onClick={() => picker.current?.click()} />
          <GrowingArea
            ref={area}
            value={body}
            onChange={(event) => {
              change(event.target.value);
              completion.onCaret(event.target.selectionStart);
            }}
            onSelect={(event) => completion.onCaret(event.currentTarget.selectionStart)}
            onBlur={() => completion.onCaret(null)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
            placeholder={placeholder}
            aria-label={placeholder}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-controls={suggesting ? completion.listId : undefined}
            aria-activedescendant={suggesting && completion.active >= 0 ? `${completion.listId}-${completion.active}` : undefined}
            enterKeyHint="send"
            className="max-h-[40dvh] min-h-9 min-w-0 flex-1 resize-none bg-transparent px-1.5 py-[7px] leading-[1.47] outline-none placeholder:text-ink-3"
          />
          {room?.members.some((member) => member.kind === 'agent') && (
            <IconButton
              icon="urgent"
              label="Urgent: agents begin at once; the task it continues is interrupted"
              aria-pressed={urgent}
              onClick={() => setUrgent(!urgent)}
              className={urgent ? 'bg-danger-soft !text-danger' : ''}
            />
          )}
          <IconButton
            icon="send"
            label={uploading ? 'Waiting for the upload' : 'Send'}
            onClick={send}
            disabled={!ready}
            className={ready ? 'bg-accent !text-on-accent hover:bg-accent-hover' : ''}
          />
        </div>
      </div>
      {body.length > maxBodyLength ? (
        <p role="alert" className="mt-1 text-sm text-danger">
          Too long by {body.length - maxBodyLength} characters. Attach it as a file instead.
        </p>
      ) : (
        <ForecastLine
          roomId={room?.id}
          forecast={composing && body === '' ? { ...forecast, tone: 'wakes', text: startNow } : forecast}
          onReplace={replace}
        />
      )}
    </div>
  );
}
