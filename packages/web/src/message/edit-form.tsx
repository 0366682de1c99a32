import type { Message } from '@parley/protocol';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
import { countToConfirm } from '../state/outbox.ts';
import { Button } from '../ui/button.tsx';
import { GrowingArea } from '../ui/growing-area.tsx';

export function EditForm({ message, onDone }: { message: Message; onDone: () => void }) {
  const { client, history } = useWorkspace();
  const [body, setBody] = useState(message.body ?? '');
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    const field = area.current;
    field?.focus();
    field?.setSelectionRange(field.value.length, field.value.length);
    field?.scrollIntoView({ block: 'nearest' });
  }, []);
  /** How many agents it would wake, when that needs a second yes. */
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
          setAsksFor(null);
        }}
        onKeyDown={onKeyDown}
        aria-label="Edit message"
        className="field max-h-72 resize-none"
      />
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
        <span className="hidden text-xs text-ink-3 sm:inline">Enter saves, Esc cancels. Agents hear the new text.</span>
      </div>
    </div>
  );
}
