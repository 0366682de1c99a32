// The methods of an agent. Each is a command or a read inside a task, and decides nothing by itself.

import { defaultGlyphs } from '@parley/core';
import { type AgentMethod, type agentMethods, type AgentResult, ParleyError } from '@parley/protocol';
import type { z } from 'zod';
import { startContact } from '../../tools/contact-calls.ts';
import type { Follower } from '../stream/live-streams.ts';
import { invalidField } from '../../engine/command.ts';
import type { TaskRow } from '../../store/tables.ts';
import { messageViews } from '../../views/messages.ts';
import { obligationsOf, obligationView } from '../../views/obligations.ts';
import { digestSetting, memberView, undamaged } from '../../views/row-views.ts';
import { agentViews } from '../../views/agents.ts';
import { startedTask, taskViews } from '../../views/tasks.ts';
import { mayReadNow, AgentReads } from '../../turns/agent-reads.ts';
import { readMailbox } from '../../turns/mailbox.ts';
import type { AgentConnection } from './connection.ts';
import type { AgentDoor } from './sockets.ts';

/** An answer that may take its time: the line is free for others meanwhile. */
export class Later<T> {
  readonly result: Promise<T>;
  constructor(result: Promise<T>) {
    this.result = result;
  }
}

type Answers<M extends AgentMethod> = M extends 'contact' | 'tool' ? AgentResult<M> | Later<AgentResult<M>> : AgentResult<M>;
export type Methods = { [M in AgentMethod]: (params: z.output<(typeof agentMethods)[M]['params']>) => Promise<Answers<M>> };

export function methodsFor(door: AgentDoor, { by, memberId }: Follower, connection: AgentConnection): Methods {
  const { engine, store } = door.hub;
  const viewOf = async (task: TaskRow) => (await taskViews(store, [task]))[0]!;
  const reading = (taskId: string) => new AgentReads(door.hub, memberId, taskId);
  const readInTask = async <T>(name: string, taskId: string, ask: object, read: () => Promise<T>): Promise<T> => {
    await mayReadNow(door.hub, { by, agentId: memberId, taskId }, name, ask);
    return read();
  };
  return {
    initialize: async ({ holds }) => {
      if (connection.session !== undefined) throw new ParleyError('invalid_request', 'This connection is initialized already.');
      const { agent, kept } = await engine.submit({ type: 'agent.connect', by, holds });
      connection.session = agent.session;
      // An offer sent before any event has the position where it left off.
      connection.sent = agent.acked;
      door.connected(connection);
      // The connection may have closed during its admission, when nobody knew of it yet.
      if (connection.isGone()) await door.gone(connection);
      const [me] = await store.rows('members', { id: memberId });
      const cursor = agent.acked;
      // This waits until the answer is sent, because a client must know who it is before it gets events.
      setImmediate(() => void connection.follow(cursor).catch((error: unknown) => door.onError(error)));
      return { me: memberView(me!, memberId, true), cursor, kept, protocol: 'parley-agent/1' };
    },
    ack: async ({ cursor }) => {
      // An event that was never sent cannot have arrived; with this cursor it would be lost.
      if (cursor > connection.sent) throw invalidField('params.cursor', 'was not delivered yet');
      await engine.submit({ type: 'agent.ack', by, session: connection.session!, cursor });
      return {};
    },
    claim: async ({ taskId, messageId = '' }) => {
      const claimed = await engine.submit(
        taskId === undefined ? { type: 'round.claim', by, messageId } : { type: 'task.begin', by, taskId },
      );
      return startedTask(store, claimed);
    },
    pass: async ({ messageId }) => engine.submit({ type: 'round.pass', by, messageId }),
    pull: (asked) => connection.pull(asked),
    say: async ({ key, ...words }) => {
      const { message } = await engine.submit({ type: 'task.say', by, key, ...words });
      return (await messageViews(store, [message]))[0]!;
    },
    goodbye: async ({ key, conversationId, body }) => {
      const words = { taskId: null, lease: undefined, kind: 'progress', conversationId, body } as const;
      const { message } = await engine.submit({ type: 'task.say', by, key, ...words });
      return (await messageViews(store, [message]))[0]!;
    },
    signal: async ({ messageId, signal, lease }) => {
      await engine.submit({ type: 'message.react', by, messageId, emoji: defaultGlyphs[signal], on: true, lease });
      return {};
    },
    draft: async ({ taskId, lease, text }) => {
      await door.draft({ agentId: memberId, taskId, lease }, text);
      return {};
    },
    pause: async ({ taskId, lease }) => viewOf((await engine.submit({ type: 'task.pause', by, taskId, lease })).task),
    contact: async ({ agentId: targetId, context, priority, ...call }) => {
      const started = await startContact(door.hub, {
        by,
        targetId,
        ...call,
        context: context ?? undefined,
        priority: priority ?? undefined,
      });
      return 'outcome' in started ? started.outcome : new Later(started.waiting);
    },
    decline: async ({ taskId, lease, outcome, reason }) =>
      viewOf((await engine.submit({ type: 'task.decline', by, taskId, lease, outcome, reason })).task),
    'obligation.list': async ({ side }) => ({ obligations: await obligationsOf(store, memberId, side, 'agent') }),
    'obligation.signal': async (params) =>
      obligationView((await engine.submit({ type: 'obligation.signal', by, ...params })).obligation, false),
    'obligation.discharge': async (params) =>
      obligationView((await engine.submit({ type: 'obligation.discharge', by, ...params })).obligation, false),
    'read.history': ({ taskId, ...ask }) => readInTask('read.history', taskId, ask, () => reading(taskId).history(ask)),
    'read.message': ({ taskId, ...ask }) => readInTask('read.message', taskId, ask, () => reading(taskId).message(ask.messageId)),
    'read.prompt': async ({ taskId }) => {
      const { system, user } = await reading(taskId).prompt();
      return { system, user };
    },
    'read.search': ({ taskId, ...ask }) => readInTask('read.search', taskId, ask, () => reading(taskId).search(ask)),
    'read.mailbox': ({ taskId, ...ask }) => readInTask('read.mailbox', taskId, ask, () => readMailbox(door.hub, memberId, taskId, ask)),
    'mailbox.seen': async (params) => {
      const { seq: lastSeq } = await store.head();
      const { mailbox } = await engine.submit({ type: 'mailbox.seen', by, ...params, lastSeq });
      return { conversationId: mailbox.conversation_id, seen: mailbox.seq };
    },
    'digest.set': async (params) => digestSetting((await engine.submit({ type: 'digest.set', by, memberId, ...params })).mailbox),
    'read.agents': ({ taskId }) =>
      readInTask('read.agents', taskId, {}, async () => ({
        agents: await undamaged(await reading(taskId).agents(), (some) => agentViews(store, some, door.hub.clock.now())),
      })),
    tools: async ({ taskId, lease }) => {
      await reading(taskId).task();
      const tools = await door.hub.toolCalls.list({ by, agentId: memberId, taskId, lease });
      return { tools: tools.map(({ name, description, input, readOnly }) => ({ name, description, input, readOnly })) };
    },
    tool: ({ taskId, lease, ...call }) =>
      Promise.resolve(new Later(door.hub.toolCalls.call({ by, agentId: memberId, taskId, lease }, call))),
    'read.tasks': async () => {
      const rows = await store.rows('tasks', { agent_id: memberId, open: 1 }, { order: 'seq', limit: 200 });
      return { tasks: await undamaged(rows, (some) => taskViews(store, some)) };
    },
  };
}
