// What the desktop is told while nobody looks at the page: pure, from one state to the next.

import { conversationPath, messagePath } from '../lib/router.ts';
import type { State } from '../state/model.ts';
import { calledAs, titleOf } from '../state/names.ts';

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
        .map(({ id, text, conversationId, messageId }) => ({
          tag: id,
          title: 'Waiting for your decision',
          body: text,
          path:
            conversationId === null ? '/' : messageId === null ? conversationPath(conversationId) : messagePath(conversationId, messageId),
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

/** Where one wants to hear of every message. */
const messages = (before: State, after: State): DesktopNotice[] =>
  before.conversations === after.conversations
    ? []
    : Object.values(after.conversations)
        .filter(
          (one) =>
            one.joined &&
            one.kind !== 'thread' &&
            one.notify === 'all' &&
            one.unread > (before.conversations[one.id]?.unread ?? one.unread),
        )
        .map((one) => ({
          tag: one.id,
          title: `${one.kind === 'channel' ? '#' : ''}${titleOf(one, after)}`,
          body: one.unread === 1 ? '1 new message' : `${one.unread} new messages`,
          path: conversationPath(one.id),
        }));
