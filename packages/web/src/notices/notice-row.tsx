import { pointedAt, sigilOf } from '@parley/core';
import type { MyConversation, Notice } from '@parley/protocol';
import { useState } from 'react';
import { useCompose } from '../conversation/contexts.ts';
import { timeOfDay } from '../lib/time.ts';
import { useAction } from '../lib/use-action.ts';
import { useMe, useMember, useSelect, useWorkspace } from '../state/context.ts';
import { calledAs, nameOf } from '../state/names.ts';
import { mayIn } from '../state/rights.ts';
import { withHandles } from '../ui/handles.tsx';
import { Icon } from '../ui/icons.tsx';
import { AddKey } from './add-key.tsx';
import { noticeSentence } from './notice-words.ts';

const none: readonly Notice[] = [];

function useNoticeText(notice: Notice, also: readonly Notice[]) {
  const members = useSelect((state) => state.members);
  const body = useSelect((state) => state.timelines[notice.conversationId ?? '']?.messages[notice.messageId ?? '']?.body);
  const written = pointedAt(notice, body);
  const agents = [notice, ...also].flatMap(({ agentId }) => members[agentId ?? '']?.handle ?? []);
  const text = noticeSentence(notice, { agents, member: (id) => nameOf(members[id ?? '']), written });
  return { text, body, written };
}

/** Reads out the notices that come while one is here. */
export function NoticeAnnouncer({ conversationId }: { conversationId: string | null }) {
  const newest = useSelect((state) => state.notices[conversationId ?? '']?.at(-1));
  const [opened] = useState(Date.now);
  return <output className="sr-only">{newest && newest.at > opened && <Spoken notice={newest} />}</output>;
}

const Spoken = ({ notice }: { notice: Notice }) => useNoticeText(notice, none).text;

/** The platform's word to one person, in its place in the conversation and quieter than anything said there. */
export function NoticeRow({ notice, also = none, home }: { notice: Notice; also?: readonly Notice[]; home: MyConversation }) {
  const { text, body, written } = useNoticeText(notice, also);
  return (
    // A feed holds articles; what the platform says is a note in one.
    <article>
      <div
        role="note"
        aria-label="Only you see this"
        title="Only you see this"
        data-notice={notice.kind}
        className="flex gap-3 px-4 py-0.5 text-[13px] text-ink-2 sm:px-6"
      >
        <span className="flex w-9 shrink-0 justify-end pt-0.5">
          <Icon name="info" size={15} className="text-ink-3" />
        </span>
        <div className="min-w-0 flex-1">
          {notice.kind === 'not_here' ? (
            <NotHere text={text} memberId={notice.memberId} messageId={notice.messageId} home={home} />
          ) : (
            <>
              {withHandles(text)} <Nearest notice={notice} body={body} written={written} />
              {notice.failure === 'no_key' && <AddKey />}
            </>
          )}
          <time className="ml-1 text-xs whitespace-nowrap text-ink-3 tabular-nums">{timeOfDay(notice.at)}</time>
        </div>
      </div>
    </article>
  );
}

/** The author can say again what they meant: the corrected text goes to the composer, to be read before it is sent. */
function Nearest({ notice, body, written }: { notice: Notice; body: string | null | undefined; written: string | null }) {
  const compose = useCompose();
  if (notice.nearest === null) return null;
  const meant = `${sigilOf(written ?? '^')}${notice.nearest}`;
  if (!body || written === null) return <>Did you mean {withHandles(meant)}?</>;
  return (
    <>
      Did you mean{' '}
      <button
        type="button"
        title="Correct it and send again"
        onClick={() => compose(body.slice(0, notice.start!) + meant + body.slice(notice.end!))}
        className="rounded font-semibold text-accent-ink underline underline-offset-2"
      >
        {meant}
      </button>
      ?
    </>
  );
}

interface NotHereProps {
  text: string;
  memberId: string | null;
  messageId: string | null;
  home: MyConversation;
}

/** A member who was addressed elsewhere, with the button that brings it in; afterwards, what came of it. */
function NotHere({ text, memberId, messageId, home }: NotHereProps) {
  const { client, refreshMemberships } = useWorkspace();
  const me = useMe();
  const member = useMember(memberId);
  const joined = useSelect((state) => state.memberships[home.id]?.some((item) => item.memberId === memberId) ?? false);
  const isDelivered = useSelect(({ asked, tasks }) => asked[messageId ?? '']?.some((id) => tasks[id]?.agentId === memberId) ?? false);
  // Where members read only from when they joined, the message stays unread to one that joins now.
  const delivers = member?.kind === 'agent' && messageId !== null && home.history === 'all';
  const { act, busy, error } = useAction(async () => {
    const body = { memberId: memberId!, ...(delivers ? { messageId } : {}) };
    await client.call('addToConversation', { params: { conversationId: home.id }, body });
    await refreshMemberships(home.id);
  });
  if (!member || home.kind !== 'channel' || !mayIn('conversation.add', me, home)) return withHandles(text);
  if (joined && isDelivered) return withHandles(`${calledAs(member)} was brought in and got this.`);
  if (joined && !delivers)
    return withHandles(
      `${calledAs(member)} was brought in${member.kind === 'agent' ? ', but cannot read this message. Call it again.' : '.'}`,
    );
  return (
    <>
      {withHandles(text)}{' '}
      <button type="button" disabled={busy} onClick={act} className="rounded font-medium text-accent-ink underline underline-offset-2">
        {joined ? `Deliver it to ${member.displayName}` : `Bring in ${member.displayName}`}
      </button>
      {error && <span className="text-danger"> {error}</span>}
    </>
  );
}
