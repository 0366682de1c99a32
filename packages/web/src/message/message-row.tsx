import type { Message, MyConversation } from '@parley/protocol';
import { memo, useEffect, useRef, useState } from 'react';
import { useDialogs } from '../dialogs/context.ts';
import { lazyComponent } from '../lib/lazy-component.tsx';
import { fullDate, shortTime, timeOfDay } from '../lib/time.ts';
import { useNow } from '../lib/use-now.ts';
import { TaskChips } from '../tasks/task-chips.tsx';
import { useMe, useMember, useSelect } from '../state/context.ts';
import { calledAs, looksLikeAnother, nameOf } from '../state/names.ts';
import { mayIn } from '../state/rights.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Icon, Logo } from '../ui/icons.tsx';
import { MessageMenu } from './message-menu.tsx';
import { AnswerLink } from './answer-link.tsx';
import { Attachments } from './attachments.tsx';
import { MessageBody } from './message-body.tsx';
import { ContactLine, contactIn } from './contact-line.tsx';
import { Reactions } from './reactions.tsx';
import { AnswerHint, TaskWord } from './task-word.tsx';
import { EditedMark } from './versions.tsx';

const EditForm = lazyComponent(async () => (await import('./edit-form.tsx')).EditForm);

interface Props {
  message: Message;
  compact: boolean;
  home: MyConversation;
  editing: boolean;
  /** A link led here; a new object for each time it did. */
  highlighted: object | null;
  tabStop: boolean;
  onEdit: (messageId: string | null) => void;
  onThread: ((message: Message) => void) | null;
}

export const MessageRow = memo(function MessageRow(props: Props) {
  const { message, compact, home, editing, highlighted, onEdit, onThread } = props;
  const author = useMember(message.authorId);
  const me = useMe();
  const { openAgent } = useDialogs();
  const [touched, setTouched] = useState(false);
  const touch = () => setTouched(true);
  const deleted = message.deletedAt !== null;
  const contact = contactIn(message);
  const row = useHighlight(highlighted);
  const name = message.authorId === null ? 'Parley' : nameOf(author);
  const ambiguous = useSelect((state) => looksLikeAnother(author, state.members));
  return (
    // In a feed the articles take the focus, and what can be done with one shows when it has it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <article
      ref={row}
      aria-label={`${name}, ${timeOfDay(message.createdAt)}`}
      data-row={message.id}
      data-seq={message.seq}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
      tabIndex={props.tabStop ? 0 : -1}
      onPointerEnter={touch}
      onFocus={touch}
      className={`message-row group relative flex gap-3 px-4 outline-offset-[-2px] hover:bg-hover focus-within:bg-hover sm:px-6 ${compact ? 'py-0.5' : 'mt-2 py-1'}`}
    >
      {compact ? (
        // Wider than the avatar where it has AM or PM: then it reaches into the margin, not into the text.
        <span className="flex w-9 shrink-0 justify-end pt-1 text-[11px] whitespace-nowrap text-ink-3 tabular-nums opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
          {timeOfDay(message.createdAt)}
        </span>
      ) : (
        <span className="pt-0.5">{message.authorId === null ? <Logo size={36} /> : <Avatar member={author} />}</span>
      )}
      <div className="min-w-0 flex-1">
        {!compact && (
          <div className="flex items-baseline gap-2 leading-snug">
            {author?.kind === 'agent' ? (
              <button
                type="button"
                title={`About ^${author.handle}`}
                onClick={() => openAgent(author.id)}
                className="min-h-6 truncate rounded font-semibold hover:underline"
              >
                {name}
              </button>
            ) : (
              <span className="truncate font-semibold">{name}</span>
            )}
            {ambiguous && <span className="shrink-0 text-xs text-ink-3">{calledAs(author)}</span>}
            {author?.kind === 'agent' && (
              <span className="rounded bg-accent-soft px-1.5 text-[11px] font-medium text-accent-ink">agent</span>
            )}
            <time
              dateTime={new Date(message.createdAt).toISOString()}
              title={fullDate(message.createdAt)}
              className="shrink-0 text-xs text-ink-3 tabular-nums"
            >
              {timeOfDay(message.createdAt)}
            </time>
            {message.urgent && <UrgentMark />}
            {message.task && !deleted && <TaskWord word={message.task} />}
            {message.editedAt !== null && !deleted && <EditedMark message={message} />}
          </div>
        )}
        {compact && message.urgent && <UrgentMark />}
        {deleted && <p className="text-ink-3 italic">This message was deleted.</p>}
        {!deleted && editing && <EditForm message={message} home={home} onDone={() => onEdit(null)} />}
        {!deleted && message.task && <AnswerLink message={message} />}
        {!deleted && !editing && message.body !== null && message.body !== '' && (
          <>
            {contact && <ContactLine header={contact} />}
            <MessageBody body={contact ? contact.rest : message.body} />
          </>
        )}
        {!deleted && !editing && compact && message.editedAt !== null && <EditedMark message={message} />}
        {!deleted && message.task && <AnswerHint word={message.task} />}
        {!deleted && <Attachments files={message.attachments} />}
        {!deleted && <Reactions message={message} mayReact={mayIn('message.react', me, home)} />}
        <TaskChips message={message} home={home} />
        {onThread && message.threadReplies > 0 && <ThreadLine message={message} onOpen={() => onThread(message)} />}
      </div>
      {touched && !deleted && !editing && (
        <MessageMenu message={message} home={home} onEdit={() => onEdit(message.id)} onThread={onThread && (() => onThread(message))} />
      )}
    </article>
  );
});

const UrgentMark = () => <span className="rounded bg-danger-soft px-1.5 text-[11px] font-medium text-danger">urgent</span>;

function useHighlight(highlighted: object | null) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = row.current;
    if (!highlighted || !element) return;
    element.classList.remove('arrive');
    // Read between the two, or the browser sees no change and the animation does not start again.
    void element.offsetWidth;
    element.classList.add('arrive');
    element.focus({ preventScroll: true });
  }, [highlighted]);
  return row;
}

function ThreadLine({ message, onOpen }: { message: Message; onOpen: () => void }) {
  const now = useNow();
  const count = message.threadReplies;
  return (
    <button
      type="button"
      onClick={onOpen}
      className="-ml-1.5 mt-1 flex h-7 items-center gap-2 rounded-lg px-1.5 text-sm font-medium text-accent-ink hover:bg-accent-soft"
    >
      <Icon name="thread" size={16} />
      {count === 1 ? '1 reply' : `${count} replies`}
      {message.threadLastAt !== null && (
        <span className="text-xs font-normal text-ink-3 tabular-nums">last {shortTime(message.threadLastAt, now)}</span>
      )}
    </button>
  );
}
