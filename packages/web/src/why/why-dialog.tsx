import type { Explanation, Message, MyConversation, Outcome } from '@parley/protocol';
import { useEffect, useState } from 'react';
import { ComposeContext, useCompose } from '../conversation/contexts.ts';
import { errorText } from '../lib/error-text.ts';
import { NoticeRow } from '../notices/notice-row.tsx';
import { useMember, useWorkspace } from '../state/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { withHandles } from '../ui/handles.tsx';
import { Problem } from '../ui/problem.tsx';
import { AgentVerdict, GroupVerdict } from './agent-verdict.tsx';
import { groupVerdicts } from './verdict-groups.ts';
import { whyHeadline } from './why-headline.ts';
import { MessageTask } from './message-task.tsx';
import { WouldBeNow } from './would-be-now.tsx';

interface Props {
  message: Message;
  /** The conversation it was said in, or whose thread it was said in. */
  home: MyConversation;
  onClose: () => void;
}

/** Who was woken by a message, who was not, and why: the hub's own record of it, in sentences. */
export function WhyDialog({ message, home, onClose }: Props) {
  const byAgent = useMember(message.authorId)?.kind === 'agent';
  const { answer, error } = useExplanation(message);
  const compose = useCompose();
  const leaveAndCompose = (text: string) => {
    onClose();
    // Once the dialog is gone: on closing it gives the focus back to what opened it.
    setTimeout(() => compose(text));
  };
  return (
    <Dialog wide title="Why?" hint="Who was woken by this message, who was not, and for what reason." onClose={onClose}>
      <blockquote className="line-clamp-3 border-l-2 border-line pl-3 text-sm text-ink-2">{message.body || 'A file'}</blockquote>
      <MessageTask message={message} provoked={answer?.provoked} onClose={onClose} />
      <div className="mt-4" aria-live="polite" aria-busy={answer === null && error === null}>
        <Problem text={error} />
        {answer && (
          <ComposeContext value={leaveAndCompose}>
            <Answer answer={answer} home={home} />
            {!byAgent && home.floor === 'polite' && calledNobody(answer) && <Tip example={answer.agents[0]?.handle ?? 'NAME'} />}
          </ComposeContext>
        )}
      </div>
    </Dialog>
  );
}

function Answer({ answer, home }: { answer: Explanation; home: MyConversation }) {
  const { recorded, agents, quiet, others, wouldNow } = answer;
  const { alone, groups } = groupVerdicts(agents, quiet, others && { ...others, outcome: ofOthers(answer) });
  return (
    <>
      <h3 className="text-[15px] font-semibold">{whyHeadline(answer)}</h3>
      <p className="text-[13px] text-ink-3">
        {recorded
          ? `Decided when the message was posted: the floor was ${answer.floor}, the rules were version ${recorded.rules}.`
          : 'The decision was not kept; only the tasks for it are known.'}
      </p>
      <ul aria-label="Agents" className="mt-2 divide-y divide-line">
        {alone.map((agent) => (
          <AgentVerdict key={agent.agentId} verdict={agent} home={home} />
        ))}
        {groups.map((group, index) => (
          <GroupVerdict
            key={`${group.like.reason} ${group.like.outcome}`}
            group={group}
            rest={alone.length > 0 && index === groups.length - 1}
          />
        ))}
      </ul>
      {wouldNow && <WouldBeNow wouldNow={wouldNow} recorded={recorded} />}
      {answer.notices.length > 0 && (
        <div className="-mx-4 mt-3 space-y-1">
          {answer.notices.map((notice) => (
            <NoticeRow key={notice.seq} notice={notice} home={home} />
          ))}
        </div>
      )}
    </>
  );
}

/** Its author may have meant somebody, and not know how. */
const calledNobody = ({ agents, quiet, floor, others }: Explanation): boolean =>
  agents.length + quiet > 0 &&
  floor === 'polite' &&
  others?.reason === 'ambient' &&
  agents.every(({ policy }) => policy === 'must_not_respond');

/** What became of those that are not listed: as of a listed one of whom the same was decided. */
function ofOthers({ agents, others }: Explanation): Outcome {
  const like = agents.find(({ task, policy, reason }) => task === null && policy === others?.policy && reason === others.reason);
  return like?.outcome ?? (others?.policy === 'must_not_respond' ? 'forbidden' : 'silent');
}

function Tip({ example }: { example: string }) {
  return (
    <div className="mt-4 rounded-lg bg-sunken px-3.5 py-2.5 text-sm text-ink-2">
      The floor here is polite: agents speak only when spoken to. Write {withHandles(`^${example}`)} to call one, {withHandles('^ANY')} for
      whichever is free, {withHandles('^ALL')} for every one.
    </div>
  );
}

function useExplanation(message: Message) {
  const { client } = useWorkspace();
  const [answer, setAnswer] = useState<Explanation | null>(null);
  const [error, setError] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      try {
        setAnswer(await client.call('explainMessage', { params: { messageId: message.id }, query: {} }, { signal: stop.signal }));
      } catch (failure) {
        if (!stop.signal.aborted) setError(errorText(failure));
      }
    };
    void load();
    return () => stop.abort();
  }, [client, message.id]);
  return { answer, error };
}
