import type { MyConversation } from '@parley/protocol';
import { ChannelName } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
import { asChannelName } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';

export function EditChannelDialog({ channel, onClose }: { channel: MyConversation; onClose: () => void }) {
  const { client, refreshConversation } = useWorkspace();
  const [name, setName] = useState(channel.name ?? '');
  const [topic, setTopic] = useState(channel.topic);
  const ready = ChannelName.safeParse(name).success;
  const { act, busy, error } = useAction(async () => {
    const body = { ...(name === channel.name ? {} : { name }), ...(topic === channel.topic ? {} : { topic }) };
    if (Object.keys(body).length > 0) {
      await client.call('editConversation', { params: { conversationId: channel.id }, body });
      await refreshConversation(channel.id);
    }
    onClose();
  });
  return (
    <Dialog
      title="Name and topic"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="edit-channel" disabled={!ready || busy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="edit-channel"
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (ready) act();
        }}
      >
        <Field
          label="Name"
          value={name}
          onChange={(event) => setName(asChannelName(event.target.value))}
          maxLength={64}
          spellCheck={false}
        />
        <Field label="Topic" value={topic} onChange={(event) => setTopic(event.target.value)} maxLength={250} autoFocus />
        <Problem text={error} />
      </form>
    </Dialog>
  );
}
