import type { Message } from '@parley/protocol';
import { useEffect, useRef, useState } from 'react';
import type { KeyboardEvent } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
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
  const { act, busy, error } = useAction(async () => {
    if (body.trim() === '') return;
    if (body !== message.body) {
      // The version that was on screen: an edit made elsewhere meanwhile is not written over.
      history.put(await client.call('editMessage', { params: { messageId: message.id }, body: { body, version: message.version } }));
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
        onChange={(event) => setBody(event.target.value)}
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
          Save
        </Button>
        <Button onClick={onDone} className="min-h-8">
          Cancel
        </Button>
        <span className="hidden text-xs text-ink-3 sm:inline">Enter saves, Esc cancels. An edit wakes nobody.</span>
      </div>
    </div>
  );
}
