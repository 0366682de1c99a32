// The prompt of a task: the platform's own words and the words of members, put together in core so that neither passes for
// the other. A new mark each time: one that got out is of no use to anybody.

import { randomBytes } from 'node:crypto';
import { approvalResults, assemble, callText, type Passage, type Prompt, shownCalls } from '@parley/core';
import type { TaskWord } from '../brains/brain.ts';
import type { MemberRow, TaskRow } from '../store/tables.ts';
import type { TurnContext } from './turn-context.ts';

const markBytes = 24;

export function taskPrompt(
  task: TaskRow,
  { me, requester, words, given, history, approved, refused, present = [], calls = [], asking = [], requests = {} }: TurnContext,
): Prompt {
  // Ids, handles and the platform's own terms: nothing that anybody can write as they like.
  const about = {
    you: me.handle,
    task: task.id,
    conversation: task.conversation_id,
    requester: requester?.handle ?? null,
    addressedBy: task.addressed_by,
    depth: task.depth,
    ...(present.length === 0 ? {} : { members: present.map(({ handle, kind }) => `${kind === 'agent' ? '^' : '@'}${handle}`).join(' ') }),
  };
  // The owner wrote the description: text, and so in a block.
  const self: Passage[] = me.about.trim() === '' ? [] : [{ source: 'about', kind: 'own', by: authorOf(me), text: me.about }];
  const messageIds = new Set(words.map(({ messageId }) => messageId));
  const results = given.flatMap(({ task: child, agent, words: said, toldIn }): Passage[] =>
    said === undefined || (toldIn !== undefined && messageIds.has(toldIn))
      ? []
      : [{ source: child.id, kind: 'result', by: authorOf(agent), text: said }],
  );
  const passages = [...history, ...words].map((word) => passage(word, me.id));
  // The arguments are the agent's own words; what became of the call is the platform's.
  const answers = [
    ...approved.map((call) => ({ ...call, text: approvalResults.approved({ agent: me.handle, name: call.name }) })),
    ...refused,
  ].map(({ id, input, text }): Passage => ({ source: id, kind: 'event', by: null, text: `${text}\n${JSON.stringify(input)}` }));
  return assemble(
    about,
    [...self, ...workSoFar(task, { given, calls, asking, requests }), ...passages, ...results, ...answers],
    randomBytes(markBytes).toString('base64url'),
  );
}

/** Calls of earlier turns and pending work (IAC-6), each call in a block of its own: results are data. */
function workSoFar(
  task: TaskRow,
  { given, calls, asking, requests }: Required<Pick<TurnContext, 'given' | 'calls' | 'asking' | 'requests'>>,
): Passage[] {
  const names = [...new Set(calls.map(({ name }) => name))];
  const made = names.map((name) => `${name} (${calls.filter((one) => one.name === name).length})`);
  const { calls: shown, left: earlier } = shownCalls(calls);
  const blocks = shown.map((call, n): Passage => ({ source: `call:${earlier + n + 1}`, kind: 'tool', by: null, text: callText(call) }));
  const open = given.filter(({ task: { open, state } }) => open === 1 && state !== 'waiting');
  const subTasks = open.map(({ task: child, agent }): Passage => {
    const name = agent ? `^${agent.handle}` : 'an agent';
    const text = `Pending: you delegated this to ${name} (subtask ${child.id}, ${child.state}). You get its result when it is done; do not delegate it again.`;
    return event(child.id, text, requests[child.id]);
  });
  const approvals = asking.map(({ id, name, input }) =>
    event(
      id,
      `Pending: a person is asked to approve your call of ${name}. You go on when they have answered; do not call it again.`,
      input,
    ),
  );
  return [
    ...(made.length === 0
      ? []
      : [event(task.id, `You have already made these calls in this task: ${made.join(', ')}. Do not repeat them.`)]),
    ...blocks,
    ...subTasks,
    ...approvals,
  ];
}

const event = (source: string, text: string, data?: string | null): Passage => ({
  source,
  kind: 'event',
  by: null,
  text: typeof data === 'string' ? `${text}\n${data}` : text,
});

const authorOf = (member: MemberRow | undefined): Passage['by'] => (member ? { handle: member.handle, kind: member.kind } : null);

function passage({ by, kind, text, messageId, signal }: TaskWord, me: string): Passage {
  if (signal) return { source: messageId, kind: 'event', by: authorOf(by), text: signal };
  if (kind === 'history' || kind === 'result') return { source: messageId, kind, by: authorOf(by), text };
  const passageKind = by?.id === me ? 'own' : kind === 'request' ? 'request' : 'follow_up';
  return { source: messageId, kind: passageKind, by: authorOf(by), text };
}
