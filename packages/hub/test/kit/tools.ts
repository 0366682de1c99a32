// An agent at work in a task, with its tools, on its socket.

import type { ToolCallResult } from '@parley/protocol';
import type { Person } from '@parley/testkit';
import { Wire } from './agent-wire.ts';
import type { Floor } from './floor.ts';

export interface AtWork {
  agent: Person;
  here: string;
  line: Wire;
  task: { id: string; lease: number };
  call: (name: string, input?: Record<string, unknown>, key?: string) => Promise<ToolCallResult>;
  /** Its text as JSON. */
  read: <T>(name: string, input?: Record<string, unknown>) => Promise<T>;
  tainted: () => Promise<string[]>;
}

let n = 0;

/** ModelCall by ann in a channel of its own, unless told otherwise. */
export async function atWork(floor: Floor, over: { agent?: Person; here?: string; by?: Person; outputs?: string[] } = {}): Promise<AtWork> {
  const agent = over.agent ?? (await floor.agent(`W${++n}`, { online: false }));
  const here = over.here ?? (await floor.channel(`work-${++n}`, agent, floor.bob));
  const line = await Wire.hello(agent);
  const { id } = await (over.by ?? floor.ann).call('postMessage', {
    params: { conversationId: here },
    body: { body: `^${agent.handle} go`, ...(over.outputs ? { outputs: over.outputs } : {}) },
  });
  await floor.pass();
  const { event } = await line.event('task', ({ messageId }) => messageId === id);
  const task = { id: event.task.id, lease: event.lease! };
  const call: AtWork['call'] = (name, input = {}, key) =>
    line.call('tool', { taskId: task.id, lease: task.lease, name, input, ...(key === undefined ? {} : { key }) });
  return {
    agent,
    here,
    line,
    task,
    call,
    read: async (name, input) => {
      const { text, isError } = await call(name, input);
      if (isError) throw new Error(text);
      return JSON.parse(text) as never;
    },
    tainted: async () => {
      const rows = await floor.kit.hub.kernel.store.rows('taints', 'where task_id = ?', [task.id]);
      return rows.map(({ kind }) => kind).toSorted();
    },
  };
}
