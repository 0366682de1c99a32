import { useId, useState } from 'react';
import { navigate, negotiationPath } from '../../lib/router.ts';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';
import { Problem } from '../../ui/problem.tsx';

interface Props {
  threadId: string;
  intent: string;
  onChanged: () => void;
}

/** The person changes what it is about, or splits something off (A2C-19, A2C-20). */
export function DriftButtons(props: Props) {
  const [open, setOpen] = useState<'change' | 'split' | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button onClick={() => setOpen('change')}>Change what it’s about</Button>
      <Button onClick={() => setOpen('split')}>Split</Button>
      {open === 'change' && <ChangeDialog {...props} onClose={close} />}
      {open === 'split' && <SplitDialog {...props} onClose={close} />}
    </>
  );
}

type DialogProps = Props & { onClose: () => void };

function ChangeDialog({ threadId, intent, onChanged, onClose }: DialogProps) {
  const { client } = useWorkspace();
  const form = useId();
  const [text, setText] = useState(intent);
  const words = text.trim();
  const change = useAction(async () => {
    await client.call('changeNegotiation', { params: { threadId }, body: { intent: words, needs: [] } });
    onClose();
    onChanged();
  });
  return (
    <Dialog
      title="Change what it’s about"
      hint="An open proposal ends, and the peers look for another. The other person is asked first where it is about something new."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" disabled={change.busy || words === '' || words === intent}>
            {change.busy ? 'Changing…' : 'Change'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          change.act();
        }}
      >
        <Field label="What it’s about" maxLength={500} value={text} onChange={(event) => setText(event.target.value)} />
        <Problem text={change.error} />
      </form>
    </Dialog>
  );
}

function SplitDialog({ threadId, intent, onChanged, onClose }: DialogProps) {
  const { client } = useWorkspace();
  const form = useId();
  const [part, setPart] = useState('');
  const [left, setLeft] = useState(intent);
  const [into, rest] = [part.trim(), left.trim()];
  const split = useAction(async () => {
    const body = { into: [into], ...(rest === intent || rest === '' ? {} : { rest }) };
    const { forks } = await client.call('forkNegotiation', { params: { threadId }, body });
    onClose();
    onChanged();
    navigate(negotiationPath(forks[0]!.threadId));
  });
  return (
    <Dialog
      title="Split something off"
      hint="It becomes a negotiation of its own. Nothing that was answered is asked again."
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} look="primary" disabled={split.busy || into === ''}>
            {split.busy ? 'Splitting…' : 'Split'}
          </Button>
        </>
      }
    >
      <form
        id={form}
        className="space-y-2"
        onSubmit={(event) => {
          event.preventDefault();
          split.act();
        }}
      >
        <Field
          label="Split off"
          placeholder="Games on Friday at 21:00"
          maxLength={500}
          value={part}
          onChange={(event) => setPart(event.target.value)}
        />
        <Field label="What is left here" maxLength={500} value={left} onChange={(event) => setLeft(event.target.value)} />
        <Problem text={split.error} />
      </form>
    </Dialog>
  );
}
