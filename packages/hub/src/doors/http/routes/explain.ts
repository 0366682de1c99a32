// Explains which agents a message wakes, before it is sent or at any time after.

import { type Explanation, type Notice, ParleyError, type Preview } from '@parley/protocol';
import { allCostText, may, notTakenText, relationsToMember, shownVerdict } from '@parley/core';
import { problemsOf, problemSight } from '../../../agents/agent-problems.ts';
import { invalidField, memberFacts } from '../../../engine/command.ts';
import { readRows } from '../../../engine/decision-reads.ts';
import { agentPurse } from '../../../engine/steps/budget/purses.ts';
import { allCost } from '../../../engine/steps/budget/turn-budget.ts';
import type { IncomingMessage } from '../../../engine/steps/conversations/incoming-message.ts';
import { isHere } from '../../../engine/steps/tasks/tasks.ts';
import { openTaskCounts } from '../../../store/reads/tasks.ts';
import type { ConversationRow, MessageRow } from '../../../store/tables.ts';
import { explainVerdicts } from '../../../views/explanation.ts';
import { provokedBy } from '../../../views/events.ts';
import { noticeViews } from '../../../views/notices.ts';
import { wordsByMessage } from '../../../views/messages.ts';
import { decidedNow } from '../../../views/wake-preview.ts';
import { type Caller, memberOf, type RouteHandlers, type Services, sightOf } from '../route-context.ts';
import { seesAll } from './provoke-objects.ts';

export const explainRoutes = {
  previewMessage: async ({ input, caller, hub }) => {
    const { conversation, home, historyCutoff } = await sightOf(hub, caller, input.params.conversationId);
    const [replyTo] = input.body.replyTo === undefined ? [] : await hub.store.rows('messages', { id: input.body.replyTo });
    if (input.body.replyTo !== undefined && (replyTo?.conversation_id !== conversation.id || replyTo.seq < historyCutoff))
      throw invalidField('replyTo', 'is not a message of this conversation');
    const incoming: IncomingMessage = {
      conversation,
      home,
      author: authorOf(caller),
      body: input.body.body,
      attachments: 0,
      replyTo,
      urgent: input.body.urgent === true,
    };
    const now = await decidedNow(hub.store, incoming, hub.clock.now());
    const woken = now.agents.filter(({ policy }) => policy === 'must_respond').map(({ agentId }) => agentId);
    const agents = await asShown(hub, caller, incoming.author, now.agents);
    const called = now.agents.filter(({ reason }) => reason === 'all_agents').map(({ agentId }) => agentId);
    const cost = called.length === 0 ? null : await readRows(hub.store, [], (set) => allCost(called, hub.clock.now(), set));
    return { ...now, agents, all: cost && { ...cost, text: allCostText(cost) }, mayChange: await mayChange(hub, woken, conversation.id) };
  },
  explainMessage: async ({ input, caller, hub }) => {
    const [message] = await hub.store.rows('messages', { id: input.params.messageId });
    const unseen = new ParleyError('not_found');
    if (!message) throw unseen;
    const { conversation, home, historyCutoff } = await sightOf(hub, caller, message.conversation_id);
    if (message.seq < historyCutoff) throw unseen;
    const incoming = await asHeard(hub, message, conversation, home);
    const wouldNow = input.query.wouldNow === 'true';
    const provoked = await provokedBy(hub.store, message, (ownerId) => seesAll(caller) || ownerId === caller.memberId);
    const [answer, notices] = await Promise.all([
      explainVerdicts(hub.store, { message, heard: incoming, rules: hub.rules, wouldNow, calledNobody: provoked !== null }),
      noticesOn(hub, caller, message),
    ]);
    const toShown = <A extends Told>(agents: A[]): Promise<A[]> => asShown(hub, caller, incoming.author, agents);
    return {
      messageId: message.id,
      provoked,
      ...answer,
      agents: await withProblems(hub, caller, await toShown(answer.agents)),
      recorded: answer.recorded && { ...answer.recorded, agents: await toShown(answer.recorded.agents) },
      wouldNow: answer.wouldNow && { ...answer.wouldNow, agents: await toShown(answer.wouldNow.agents) },
      notices,
    };
  },
} satisfies Partial<RouteHandlers>;

type Explained = Awaited<ReturnType<typeof explainVerdicts>>['agents'][number];

/** Adds the problems of agents with a task for the message. Missing tools count even after an answer, which was made without them. */
async function withProblems(hub: Services, caller: Caller, agents: Explained[]): Promise<Explanation['agents']> {
  const sight = await problemSight(caller, hub.tools);
  return Promise.all(
    agents.map(async (one) => {
      if (one.task === null) return { ...one, problems: [] };
      const { problem, toolProblems } = await problemsOf(hub, { id: one.agentId }, sight);
      return { ...one, problems: [...(problem === null || one.outcome === 'answered' ? [] : [problem]), ...toolProblems] };
    }),
  );
}

type Told = { agentId: string; mode: string; reason: string; text?: string };

/** Names the blocker only to members who may change the agent (C2A-8). */
async function asShown<A extends Told>(
  hub: Services,
  { actor, memberId }: Caller,
  author: IncomingMessage['author'],
  agents: A[],
): Promise<A[]> {
  const blocking = agents.filter(({ reason }) => reason === 'author_blocked').map(({ agentId }) => agentId);
  if (blocking.length === 0) return agents;
  const rows = await hub.store.rows('members', { id: [...blocking, author.id] });
  const handles = new Map(rows.map(({ id, handle }) => [id, handle]));
  const knows = new Set(
    rows.filter((row) => may('agent.edit', actor, relationsToMember(actor, memberFacts(row))).allowed).map(({ id }) => id),
  );
  const handle = author.kind === 'agent' ? undefined : handles.get(author.id);
  const person = author.id === memberId && handle !== undefined ? 'you' : handle && `@${handle}`;
  return agents.map((one) => {
    const verdictView = shownVerdict(one, knows.has(one.agentId));
    if (verdictView === one || one.text === undefined) return verdictView;
    return { ...verdictView, text: notTakenText(handles.get(one.agentId) ?? '', person) };
  });
}

const authorOf = (caller: Caller): IncomingMessage['author'] => ({
  id: memberOf(caller),
  kind: caller.actor.type === 'member' ? caller.actor.kind : 'human',
});

async function asHeard(hub: Services, message: MessageRow, conversation: ConversationRow, home: ConversationRow): Promise<IncomingMessage> {
  const [author] = message.author_id === null ? [] : await hub.store.rows('members', { id: message.author_id });
  const [replyTo] = message.reply_to === null ? [] : await hub.store.rows('messages', { id: message.reply_to });
  const [urgent] = await hub.store.rows('urgent_messages', { message_id: message.id });
  const word = (await wordsByMessage(hub.store, [message.id])).get(message.id);
  const [task] = word ? await hub.store.rows('tasks', { id: word.task_id }) : [];
  return {
    conversation,
    home,
    author: { id: message.author_id ?? '', kind: author?.kind ?? 'human' },
    body: message.body ?? '',
    attachments: (JSON.parse(message.attachments) as string[]).length,
    replyTo,
    urgent: urgent !== undefined,
    ...(task && word && task.agent_id === message.author_id
      ? { speaking: { task, final: word.kind === 'answer' || word.kind === 'decline' } }
      : {}),
  };
}

/** For the agents that the text would wake: whether they are present, what is queued before it, and whether they have a turn left today. */
async function mayChange(hub: Services, agentIds: string[], conversationId: string): Promise<Preview['mayChange']> {
  if (agentIds.length === 0) return [];
  const now = hub.clock.now();
  const [agents, ahead, drawn] = await Promise.all([
    hub.store.rows('agents', { member_id: agentIds }),
    openTaskCounts(hub.store, conversationId, agentIds),
    hub.store.rows('purses', { id: agentIds.map((id) => agentPurse(id, now)) }),
  ]);
  const most = hub.limits.budgets.agent_day.turns;
  return agentIds.map((agentId) => {
    const agent = agents.find((row) => row.member_id === agentId);
    return {
      agentId,
      offline: !isHere(agent),
      sleeping: (agent?.asleep_until ?? 0) > now,
      ahead: ahead.find((row) => row.id === agentId)?.n ?? 0,
      spent: (drawn.find((row) => row.id === agentPurse(agentId, now))?.turns ?? 0) >= most,
    };
  });
}

/** The operator, who gets none, reads those of the author. */
async function noticesOn(hub: Services, caller: Caller, message: MessageRow): Promise<Notice[]> {
  const where = { member_id: caller.memberId ?? message.author_id, subject_id: message.id, type: 'notice' } as const;
  const rows = await hub.store.rows('facts', where, { order: 'seq' });
  return noticeViews(hub.store, rows);
}
