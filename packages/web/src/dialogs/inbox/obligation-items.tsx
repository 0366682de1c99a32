import type { Obligation } from '@parley/protocol';
import type { ReactNode } from 'react';
import { followLink, messagePath } from '../../lib/router.ts';
import { shortTime } from '../../lib/time.ts';
import { useAction } from '../../lib/use-action.ts';
import { useNow } from '../../lib/use-now.ts';
import { useSelect, useWorkspace } from '../../state/context.ts';
import { calledAs } from '../../state/names.ts';
import { withObligation } from '../../state/work.ts';
import { Button } from '../../ui/button.tsx';
import { withHandles } from '../../ui/handles.tsx';
import { Problem } from '../../ui/problem.tsx';
import { MessageQuote } from '../message-quote.tsx';
import { oweSentence, owedSentence } from './obligation-words.ts';

interface Props {
  obligation: Obligation;
  onClose: () => void;
}

/** What can be said of it short of an answer, which is a message. */
const signals = [
  ['working', 'I am on it'],
  ['queued', 'Later'],
  ['unclear', 'It is not clear to me'],
  ['declined', 'Not mine'],
] as const;

/** Somebody waits for us: the message to answer, and what can be said without one. */
export function OwedAnswer({ obligation, onClose }: Props) {
  const { client, store } = useWorkspace();
  const names = useNames();
  const mine = useSelect((state) => state.myId === obligation.holderId);
  const signal = useAction(async (said: (typeof signals)[number][0]) => {
    const next = await client.call('signalObligation', { params: { obligationId: obligation.id }, body: { signal: said } });
    store.update((state) => withObligation(state, next));
  });
  return (
    <Entry obligation={obligation} onClose={onClose} text={oweSentence(obligation, names)} link="Go and answer">
      {mine &&
        signals.map(([said, label]) => (
          <Button key={said} disabled={signal.busy} onClick={() => signal.act(said)} className="min-h-8 px-2.5 text-[13px]">
            {label}
          </Button>
        ))}
      <Problem text={signal.error} />
    </Entry>
  );
}

/** We wait, or may settle it for who does. */
export function AwaitedAnswer({ obligation, onClose }: Props) {
  const { client, store } = useWorkspace();
  const names = useNames();
  const settle = useAction(async () => {
    const next = await client.call('dischargeObligation', { params: { obligationId: obligation.id } });
    store.update((state) => withObligation(state, next));
  });
  return (
    <Entry obligation={obligation} onClose={onClose} text={owedSentence(obligation, names)} link="The message">
      <Button look="primary" disabled={settle.busy} onClick={settle.act} className="min-h-8 px-2.5 text-[13px]">
        It is settled
      </Button>
      <Problem text={settle.error} />
    </Entry>
  );
}

function Entry({ obligation, text, link, onClose, children }: Props & { text: string; link: string; children: ReactNode }) {
  const now = useNow();
  const { conversationId, messageId, createdAt, nextAt, defaultAction } = obligation;
  return (
    <div data-obligation={obligation.blocks}>
      <p>
        {withHandles(text)} <time className="text-xs whitespace-nowrap text-ink-3 tabular-nums">since {shortTime(createdAt, now)}</time>
      </p>
      <MessageQuote messageId={messageId} />
      {defaultAction !== null && <p className="mt-0.5 text-sm break-words text-ink-2">Without an answer: {defaultAction}</p>}
      {nextAt !== null && <p className="mt-0.5 text-xs text-ink-3 tabular-nums">Comes back {shortTime(nextAt, now)}.</p>}
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <a
          href={messagePath(conversationId, messageId)}
          onClick={(event) => {
            followLink(event);
            onClose();
          }}
          className="mr-1 rounded text-sm font-medium text-accent-ink underline underline-offset-2"
        >
          {link}
        </a>
        {children}
      </div>
    </div>
  );
}

function useNames() {
  const members = useSelect((state) => state.members);
  const myId = useSelect((state) => state.myId);
  return { myId, called: (id: string) => calledAs(members[id]) };
}
