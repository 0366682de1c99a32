import type { Message, MyConversation } from '@parley/protocol';
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useTyping } from '../conversation/use-send-typing.ts';
import { useRoom } from '../forecast/context.ts';
import { foreseeEdit } from '../forecast/edit-forecast.ts';
import { useKnown } from '../forecast/use-forecast.ts';
import { useAction } from '../lib/use-action.ts';
import { useSelect, useWorkspace } from '../state/context.ts';
import { countToConfirm } from '../state/outbox.ts';
import { Button } from '../ui/button.tsx';
import { GrowingArea } from '../ui/growing-area.tsx';
import { withHandles } from '../ui/handles.tsx';
import { Icon } from '../ui/icons.tsx';

interface Props {
  message: Message;
  /** The conversation it was said in, or whose thread it was said in. */
  home: MyConversation;
  onDone: () => void;
}

export function EditForm({ message, home, onDone }: Props) {
  const { client, history } = useWorkspace();
  const [body, setBody] = useState(message.body ?? '');
  // An author who changes a request is still writing it: agents wait for that too.
  const { typed } = useTyping(message.conversationId);
  useEffect(typed, [typed]);
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const field = area.current;
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
    field?.scrollIntoView({ block: 'nearest' });
  }, []);
  /** How many agents it would wake, when that needs a second confirmation. */
  const [asksFor, setAsksFor] = useState<number | null>(null);
  const { act, busy, error } = useAction(async () => {
    if (body.trim() === '') return;
    if (body !== message.body) {
      // The version that was on screen: an edit made elsewhere meanwhile is not written over.
      const edit = { body, version: message.version, ...(asksFor === null ? {} : { confirmAll: asksFor }) };
      try {
        history.put(await client.call('editMessage', { params: { messageId: message.id }, body: edit }));
      } catch (failure) {
        setAsksFor(countToConfirm(failure));
        throw failure;
      }
    }
    onDone();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') onDone();
    else if (event.key === 'Enter' && !event.shiftKey) act();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="mt-1">
      <GrowingArea
        ref={area}
        value={body}
        onChange={(event) => {
          setBody(event.target.value);
          typed();
          setAsksFor(null);
        }}
        onKeyDown={onKeyDown}
        aria-label="Edit message"
        className="field max-h-72 resize-none"
      />
      <EditForecastLine message={message} home={home} text={body} />
      {error && (
        <p role="alert" className="mt-1 text-sm text-danger">
          {error}
        </p>
      )}
      <div className="mt-1.5 flex items-center gap-2">
        <Button look="primary" onClick={act} disabled={busy || body.trim() === ''} className="min-h-8">
          {asksFor === null ? 'Save' : `Save, and wake ${asksFor} agents`}
        </Button>
        <Button onClick={onDone} className="min-h-8">
          Cancel
        </Button>
        <span className="hidden text-xs text-ink-3 sm:inline">Enter saves, Esc cancels.</span>
      </div>
    </div>
  );
}

/** What saving would do to agents, before it does. */
function EditForecastLine({ message, home, text }: { message: Message; home: MyConversation; text: string }) {
  const { room } = useRoom(home);
  const known = useKnown();
  const settled = useDeferredValue(text);
  const inThread = message.conversationId !== home.id;
  const root = useSelect((state) => (inThread ? (state.conversations[message.conversationId]?.rootMessageId ?? null) : null));
  const rootAuthorId = useSelect((state) => state.timelines[home.id]?.messages[root ?? '']?.authorId ?? null);
  const foretold = useMemo(() => {
    if (!room || settled === message.body || settled.trim() === '' || !room.members.some(({ kind }) => kind === 'agent')) return null;
    return foreseeEdit(known, { room, conversationId: message.conversationId, root, rootAuthorId }, message, settled);
  }, [room, known, message, root, rootAuthorId, settled]);
  return (
    <output data-edit-forecast={foretold?.tone} className="mt-1 flex min-h-5 items-start gap-1.5 text-[12.5px] leading-5 text-ink-3">
      {foretold && (
        <>
          <Icon name={foretold.tone === 'wakes' ? 'wake' : 'quiet'} size={15} className="mt-0.5" />
          <span>{withHandles(foretold.text)}</span>
        </>
      )}
    </output>
  );
}
