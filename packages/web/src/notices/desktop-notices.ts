// The desktop notifications while nobody looks at the page: pure, from one state to the next.

import { addressesIn, directory } from '@parley/core';
import { conversationPath, messagePath, peerPath } from '../lib/router.ts';
import type { State } from '../state/model.ts';
import { calledAs, nameOf, titleOf } from '../state/names.ts';
import { isPrompt } from '../state/work.ts';

export interface DesktopNotice {
  /** One of the same tag takes the place of the one before. */
  tag: string;
  title: string;
  body: string;
  path: string;
}

export function desktopNotices(before: State, after: State): DesktopNotice[] {
  if (before === after) return [];
  return [...decisions(before, after), ...questions(before, after), ...messages(before, after)];
}

/** Approvals and whatever else waits for a decision. */
const decisions = (before: State, after: State): DesktopNotice[] =>
  before.checkpoints === after.checkpoints
    ? []
    : Object.values(after.checkpoints)
        .filter(({ id }) => before.checkpoints[id] === undefined)
        .map(({ id, kind, text, conversationId, messageId }) => ({
          tag: id,
          title: 'Waiting for your decision',
          body: text,
          path:
            conversationId === null
              ? isPrompt(kind)
                ? peerPath()
                : '/'
              : messageId === null
                ? conversationPath(conversationId)
                : messagePath(conversationId, messageId),
        }));

/** An agent asks its requester and waits. */
const questions = (before: State, after: State): DesktopNotice[] =>
  before.tasks === after.tasks
    ? []
    : Object.values(after.tasks)
        .filter((task) => task.state === 'waiting' && task.requesterId === after.myId && before.tasks[task.id]?.state !== 'waiting')
        .map((task) => ({
          tag: task.id,
          title: `${calledAs(after.members[task.agentId ?? ''])} asks you`,
          body: 'It is waiting for your reply.',
          path: conversationPath(task.askedIn ?? task.conversationId),
        }));

/** A message that is meant for the reader, or any by a person where they want every one. What agents say on the way is no news. */
function messages(before: State, after: State): DesktopNotice[] {
  const { latest } = after;
  const home = after.conversations[latest?.home ?? ''];
  if (latest === null || latest === before.latest || !home?.joined || home.notify === 'none') return [];
  const { message } = latest;
  const author = after.members[message.authorId ?? ''];
  if (message.authorId === after.myId || message.body === null) return [];
  const isAnswer = message.task?.kind === 'answer' && after.tasks[message.task.id]?.requesterId === after.myId;
  const isEvery = home.notify === 'all' && (home.kind === 'dm' || author?.kind === 'human');
  if (!isAnswer && !isEvery && !isMentioned(message.body, after)) return [];
  const place = `${home.kind === 'channel' ? '#' : ''}${titleOf(home, after)}`;
  return [
    {
      tag: home.id,
      title: home.kind === 'channel' ? `${nameOf(author)} in ${place}` : place,
      body: shortened(message.body),
      path: messagePath(message.conversationId, message.id),
    },
  ];
}

function isMentioned(text: string, { members, myId }: State): boolean {
  const me = members[myId];
  return addressesIn(text, directory(me ? [me] : [])).some(({ kind }) => kind === 'human' || kind === 'all_humans' || kind === 'any_human');
}

const longest = 140;
const shortened = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);
