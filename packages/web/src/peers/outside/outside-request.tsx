import type { OutsideRequest, WholeNegotiation } from '@parley/protocol';
import { useId, useState } from 'react';
import { useAction } from '../../lib/use-action.ts';
import { useWorkspace } from '../../state/context.ts';
import { Button } from '../../ui/button.tsx';
import { copyText } from '../../ui/copy-link.tsx';
import { Problem } from '../../ui/problem.tsx';
import { RequestLinkPart } from './request-link.tsx';

interface Props {
  negotiation: WholeNegotiation;
  onChanged: () => void;
}

/** Somebody without an agent: the text to send, a link instead, and what they answered (A2C-11). */
export function OutsidePart({ negotiation, onChanged }: Props) {
  const { outside } = negotiation;
  if (!outside || outside.text === null) return null;
  return (
    <section aria-label={`Ask ${outside.name}`} className="mt-4 space-y-5 rounded-xl border border-line-strong px-4 py-3.5">
      <RequestText text={outside.text} outside={outside} />
      {outside.awaitsReply && <Answering negotiation={negotiation} outside={outside} onChanged={onChanged} />}
    </section>
  );
}

function Answering({ negotiation: { threadId }, outside, onChanged }: Props & { outside: OutsideRequest }) {
  return (
    <>
      <RequestLinkPart threadId={threadId} link={outside.link} name={outside.name} onChanged={onChanged} />
      <PassOn threadId={threadId} outside={outside} onChanged={onChanged} />
    </>
  );
}

function RequestText({ text, outside: { name, hint } }: { text: string; outside: OutsideRequest }) {
  const [copied, setCopied] = useState(false);
  return (
    <div>
      <h3 className="font-semibold">Send this text to {name}</h3>
      <pre className="mt-2 rounded-lg bg-sunken px-3 py-2.5 font-sans text-sm whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>
      {hint !== null && <p className="mt-1.5 text-sm text-ink-2">{hint}</p>}
      <Button look="primary" icon={copied ? 'check' : 'copy'} className="mt-2" onClick={() => void copyText(text).then(setCopied)}>
        {copied ? 'Copied' : 'Copy the text'}
      </Button>
    </div>
  );
}

/** The choices come below a long text, where nobody would look for them. */
function scrollIntoView(choices: HTMLElement | null): void {
  choices?.scrollIntoView({ block: 'nearest' });
}

/** Their words first; where those are not clear, one tap says what was meant. */
function PassOn({ threadId, outside, onChanged }: { threadId: string; outside: OutsideRequest; onChanged: () => void }) {
  const { client } = useWorkspace();
  const [text, setText] = useState('');
  const id = useId();
  const words = text.trim();
  const reply = useAction(async (body: Parameters<typeof client.call<'replyForOutside'>>[1]['body']) => {
    await client.call('replyForOutside', { params: { threadId }, body });
    onChanged();
  });
  const said = words === '' ? {} : { text: words };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (words !== '') reply.act({ kind: 'words', text: words });
      }}
    >
      <label htmlFor={id} className="block font-semibold">
        {outside.name} answered?
      </label>
      <textarea
        id={id}
        className="field mt-2 min-h-16"
        maxLength={500}
        placeholder="Paste their answer, such as “2” or “Friday 19:00 works”"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="mt-2 flex flex-wrap gap-2">
        <Button type="submit" look="primary" disabled={reply.busy || words === ''}>
          Pass it on
        </Button>
      </div>
      <div className="mt-2">
        <Problem text={reply.error} />
      </div>
      {reply.error !== null && (
        <fieldset ref={scrollIntoView} className="mt-2 min-w-0" disabled={reply.busy}>
          <legend className="text-sm font-medium">What did {outside.name} mean?</legend>
          <div className="mt-1.5 flex flex-col items-start gap-2">
            {outside.times.map((time, place) => (
              <Button key={time} onClick={() => reply.act({ kind: 'works', option: place + 1, ...said })}>
                {time}
              </Button>
            ))}
            <Button onClick={() => reply.act({ kind: 'other', text: words })}>Another time</Button>
            <Button onClick={() => reply.act({ kind: 'cannot', ...said })}>{outside.name} can’t</Button>
          </div>
        </fieldset>
      )}
    </form>
  );
}
