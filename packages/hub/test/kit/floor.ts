// A hub with a simulated clock, people, and agents that are driven by hand.

import type { Notice, Task } from '@parley/protocol';
import { type Ground, makeForEach, makeOnce, partOf, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';

export interface Floor {
  kit: TestHub;
  clock: SimClock;
  ann: Person;
  bob: Person;
  /** A channel of its own with these in it; ann made it. */
  channel(name: string, ...members: Person[]): Promise<string>;
  /** Adds an agent and, unless told otherwise, connects it. */
  agent(handle: string, options?: { online?: boolean; owner?: Person }): Promise<Person>;
  connect(agent: Person): Promise<number>;
  disconnect(agent: Person): Promise<void>;
  /** Lets timers fire and turns begin. */
  pass(ms?: number): Promise<void>;
  tasks(conversationId: string): Promise<Task[]>;
  notices(who: Person): Promise<Notice[]>;
  /** An agent speaks in its task. */
  say(agent: Person, task: Task, kind: 'progress' | 'question' | 'answer', body: string, over?: object): ReturnType<Person['ask']>;
  bodies(conversationId: string): Promise<[string, string][]>;
}

export async function floorOn(
  engine: Ground['engine'],
  overrides: Parameters<typeof startTestHub>[1] = {},
  env: Record<string, string> = {},
): Promise<Floor> {
  const clock = new SimClock();
  const kit = await startTestHub(engine, { clock, agents: [], ...overrides }, env);
  const ann = await kit.person('ann');
  const bob = await kit.person('bob');
  const sessions = new Map<string, number>();
  const handles = new Map<string, string>([
    [ann.id, 'ann'],
    [bob.id, 'bob'],
  ]);
  const floor: Floor = {
    kit,
    clock,
    ann,
    bob,
    channel: async (name, ...members) => {
      const channel = await ann.call('createChannel', { body: { name } });
      for (const member of members)
        await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: member.id } });
      return channel.id;
    },
    agent: async (handle, { online = true, owner = ann } = {}) => {
      const agent = await kit.agent(handle, owner);
      handles.set(agent.id, handle);
      if (online) await floor.connect(agent);
      return agent;
    },
    connect: async (agent) => {
      const principal = await kit.hub.kernel.auth.principal(agent.token);
      const connected = await kit.hub.kernel.engine.submit({ type: 'agent.connect', by: principal!.by });
      sessions.set(agent.id, connected.agent.session);
      await kit.hub.kernel.scheduler.settled();
      return connected.agent.session;
    },
    disconnect: async (agent) => {
      const session = sessions.get(agent.id)!;
      await kit.hub.kernel.engine.submit({ type: 'agent.disconnect', by: { operator: true }, agentId: agent.id, session });
      await kit.hub.kernel.scheduler.settled();
    },
    pass: async (ms = 0) => {
      // In small steps, as time passes: a large one would look like a machine that slept.
      for (let left = ms; left > 0; left -= 30_000) {
        clock.advance(Math.min(left, 30_000));
        await kit.hub.kernel.timers.tick();
      }
      await kit.hub.kernel.scheduler.settled();
    },
    tasks: async (conversationId) => (await ann.call('listTasks', { query: { conversationId, state: 'all' } })).tasks,
    notices: async (who) => (await who.call('listNotices', { query: {} })).notices,
    say: async (agent, task, kind, body, over = {}) => {
      const [row] = await kit.hub.kernel.store.rows('tasks', 'where id = ?', [task.id]);
      const input = {
        params: { conversationId: task.conversationId },
        body: { body, task: { id: task.id, lease: row!.lease, kind }, ...over },
      };
      return agent.ask('postMessage', input);
    },
    bodies: async (conversationId) => {
      const { messages } = await ann.call('listMessages', { params: { conversationId }, query: {} });
      return messages.map((message) => [handles.get(message.authorId ?? '') ?? '?', message.body ?? '']);
    },
  };
  return floor;
}

/** One floor for all tests of a suite, and its people. */
export function floorFor(...settings: Parameters<typeof floorOn>): { floor: Floor; ann: Person; bob: Person; owner: Person } {
  const floor = makeOnce(
    () => floorOn(...settings),
    ({ kit }) => kit.stop(),
  );
  return { floor, ann: partOf(floor, 'ann'), bob: partOf(floor, 'bob'), owner: makeOnce(() => Promise.resolve(floor.kit.owner)) };
}

type People<H extends readonly string[]> = { [K in keyof H]: Person };

/** Agents for all tests of a suite, by their handles. */
export const agentsFor = <H extends string[]>(floor: Floor, ...handles: H): People<H> =>
  handles.map((handle) => makeOnce(() => floor.agent(handle))) as People<H>;

/** Other agents for each test: A1 and B1, A2 and B2 and so on. */
export const freshAgents = <H extends string[]>(floor: Floor, ...names: H): People<H> =>
  names.map((name) => agentFor(floor, name)) as People<H>;

/** Another agent for each test: A1, A2 and so on. */
export function agentFor(floor: Floor, name: string, options?: Parameters<Floor['agent']>[1]): Person {
  let n = 0;
  return makeForEach(() => floor.agent(`${name}${++n}`, options));
}
