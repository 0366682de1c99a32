// Sums up a conversation (C2A-7) as counts and IDs, from the recorded verdicts. The digest is given no text and holds none:
// whatever anybody wrote, the roll-up is the platform's own words.

import type { Digest, Mode } from '@parley/protocol';
import type { VerdictFields } from './verdict.ts';

/** A message that was not put before the agent, as it was recorded. */
export interface UndeliveredMessage {
  messageId: string;
  authorId: string | null;
  at: number;
  status: boolean;
  question: boolean;
  /** Somebody was addressed. */
  addressed: boolean;
}

/** How many of the busiest authors, and of the latest status lines and questions, a digest names. */
export const digestLimits = { authors: 5, latest: 3 } as const;

/** `noted` in order. Undefined: nothing was said, so there is nothing to tell. */
export function rollUp(noted: readonly UndeliveredMessage[], beside: { openTasks: number; more: boolean }): Digest | undefined {
  const [first, last] = [noted[0], noted.at(-1)];
  if (!first || !last) return undefined;
  const byAuthor = Map.groupBy(
    noted.filter(({ authorId }) => authorId !== null),
    ({ authorId }) => authorId!,
  );
  const authors = [...byAuthor]
    .map(([memberId, all]) => ({ memberId, messages: all.length }))
    .sort((a, b) => b.messages - a.messages || (a.memberId < b.memberId ? -1 : 1));
  const latest = (fits: (one: UndeliveredMessage) => boolean): Digest['status'] => {
    const ids = noted.filter(fits).map(({ messageId }) => messageId);
    return { count: ids.length, latest: ids.slice(-digestLimits.latest) };
  };
  return {
    from: first.at,
    until: last.at,
    messages: noted.length,
    authors: authors.slice(0, digestLimits.authors),
    otherAuthors: Math.max(0, authors.length - digestLimits.authors),
    status: latest(({ status }) => status),
    questions: latest(({ question, addressed }) => question && !addressed),
    ...beside,
  };
}

const counted = (n: number, one: string, many = `${one}s`): string => `${n} ${n === 1 ? one : many}`;

/** The same in a sentence. Handles are the platform's: letters, digits and a few signs. */
export function digestTopic(digest: Digest, handleOf: (memberId: string) => string): string {
  const { messages, more, authors, otherAuthors, status, questions, openTasks } = digest;
  const by = [
    ...authors.map((author) => `${handleOf(author.memberId)} ${author.messages}`),
    ...(otherAuthors > 0 ? [counted(otherAuthors, 'other')] : []),
  ];
  return [
    `${more ? 'more than ' : ''}${counted(messages, 'message')}${by.length === 0 ? '' : ` (${by.join(', ')})`}`,
    ...(status.count > 0 ? [counted(status.count, 'status line')] : []),
    ...(questions.count > 0 ? [`${counted(questions.count, 'question')} to nobody`] : []),
    ...(openTasks > 0 ? [counted(openTasks, 'open task')] : []),
  ].join('; ');
}

// An agent's mailbox (C2A-6): messages that were stored for it and not delivered. Nobody finds `silent` ones (C2A-8), and
// those that made a task, or an offer, were delivered already.

export const isInMailbox = ({ mode, task }: Pick<VerdictFields, 'mode' | 'task'>): boolean => !task && mode !== 'silent';

const places: Partial<Record<Mode, string>> = {
  tool_mailbox: ' It is in its mailbox.',
  digest: ' It is in its mailbox, and counts in its digest.',
};

/** A sentence that says where an agent finds a message that it was not given; empty: nowhere. */
export const keptIn = (mode: Mode): string => places[mode] ?? '';
