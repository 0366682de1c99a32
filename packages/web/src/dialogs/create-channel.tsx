import { ChannelName } from '@parley/protocol';
import { useState } from 'react';
import { conversationPath, navigate } from '../lib/router.ts';
import { useAction } from '../lib/use-action.ts';
import { useWorkspace } from '../state/context.ts';
import { asChannelName } from '../state/names.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icons.tsx';
import { Problem } from '../ui/problem.tsx';

export function CreateChannelDialog({ onClose }: { onClose: () => void }) {
  const { client, refreshConversation } = useWorkspace();
  const [name, setName] = useState('');
  const [topic, setTopic] = useState('');
  const [visibility, setVisibility] = useState<'public' | 'private'>('public');
  const { act, busy, error } = useAction(async () => {
    const channel = await client.call('createChannel', { body: { name, topic, visibility } });
    await refreshConversation(channel.id);
    onClose();
    navigate(conversationPath(channel.id));
  });
  const ready = ChannelName.safeParse(name).success;
  return (
    <Dialog
      title="Create a channel"
      hint="A place for one subject, team or project."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" form="create-channel" disabled={!ready || busy}>
            Create channel
          </Button>
        </>
      }
    >
      <form
        id="create-channel"
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
          placeholder="design-review"
          maxLength={64}
          spellCheck={false}
          hint="Letters, digits, - and _"
        />
        <Field
          label="Topic (optional)"
          value={topic}
          onChange={(event) => setTopic(event.target.value)}
          maxLength={250}
          placeholder="What it is about"
        />
        <fieldset>
          <legend className="mb-1.5 text-sm font-medium">Who can find it</legend>
          <div className="grid gap-2">
            <Choice
              icon="hash"
              title="Public"
              text="Every member can read and join."
              checked={visibility === 'public'}
              onPick={() => setVisibility('public')}
            />
            <Choice
              icon="lock"
              title="Private"
              text="Only those who are added."
              checked={visibility === 'private'}
              onPick={() => setVisibility('private')}
            />
          </div>
        </fieldset>
        <Problem text={error} />
      </form>
    </Dialog>
  );
}

function Choice(props: { icon: 'hash' | 'lock'; title: string; text: string; checked: boolean; onPick: () => void }) {
  return (
    <label
      className={`flex cursor-pointer items-center gap-3 rounded-lg border px-3.5 py-2.5 has-focus-visible:outline-2 has-focus-visible:outline-accent-ink ${props.checked ? 'border-accent bg-accent-soft' : 'border-line hover:border-line-strong'}`}
    >
      <input type="radio" name="visibility" checked={props.checked} onChange={props.onPick} className="sr-only" />
      <Icon name={props.icon} className={props.checked ? 'text-accent-ink' : 'text-ink-3'} />
      <span>
        <span className="block text-sm font-medium">{props.title}</span>
        <span className="block text-[13px] text-ink-2">{props.text}</span>
      </span>
    </label>
  );
}
