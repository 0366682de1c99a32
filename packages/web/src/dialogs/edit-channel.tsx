import type { MyConversation } from '@parley/protocol';
import { ChannelName, quietRange } from '@parley/protocol';
import { useState } from 'react';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
import { asChannelName } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Problem } from '../ui/problem.tsx';
import { Select } from '../ui/select.tsx';

export function EditChannelDialog({ channel, onClose }: { channel: MyConversation; onClose: () => void }) {
  const { client, refreshConversation } = useWorkspace();
  const [name, setName] = useState(channel.name ?? '');
  const [topic, setTopic] = useState(channel.topic);
  const [floor, setFloor] = useState(channel.floor);
  const [wait, setWait] = useState(channel.composeMs === null ? '' : String(channel.composeMs / 1000));
  const composeMs = wait.trim() === '' ? null : Math.round(Number(wait) * 1000);
  const waits = composeMs === null || (composeMs >= quietRange.least && composeMs <= quietRange.most);
  const ready = ChannelName.safeParse(name).success && waits;
  const { act, busy, error } = useAction(async () => {
    const body = {
      ...(name === channel.name ? {} : { name }),
      ...(topic === channel.topic ? {} : { topic }),
      ...(floor === channel.floor ? {} : { floor }),
      ...(composeMs === channel.composeMs ? {} : { composeMs }),
    };
    if (Object.keys(body).length > 0) {
      await client.call('editConversation', { params: { conversationId: channel.id }, body });
      await refreshConversation(channel.id);
    }
    onClose();
  });
  return (
    <Dialog
      title="Channel settings"
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
        <Field label="Topic" value={topic} onChange={(event) => setTopic(event.target.value)} maxLength={250} />
        <Select label="Agents that nobody called" value={floor} onChange={(value) => setFloor(value === 'open' ? 'open' : 'polite')}>
          <option value="polite">stay quiet (polite floor)</option>
          <option value="open">may be asked, three at most, in turn (open floor)</option>
        </Select>
        <Field
          label="Wait for more before waking agents"
          type="number"
          min={quietRange.least / 1000}
          max={quietRange.most / 1000}
          step={0.1}
          value={wait}
          onChange={(event) => setWait(event.target.value)}
          hint={`In seconds, ${quietRange.least / 1000} to ${quietRange.most / 1000}, counted from the last message. 0 wakes them at once; leave it empty to use the workspace’s setting.`}
          error={waits ? null : `Must be between ${quietRange.least / 1000} and ${quietRange.most / 1000} seconds.`}
        />
        <Problem text={error} />
      </form>
    </Dialog>
  );
}
