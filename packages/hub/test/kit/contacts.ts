// Agents that contact each other, driven by hand.

import type { ContactOutcome, Message, Task } from '@parley/protocol';
import { type Ground, makeOnce, partOf, type Person, until } from '@parley/testkit';
import { contact } from '../../src/tools/contact-calls.ts';
import type { TaskRow } from '../../src/store/tables.ts';
import { type Floor, floorOn } from './floor.ts';

export interface Call {
  action?: string;
  message?: string;
  context?: string;
  priority?: string;
  key?: string;
  lease?: number;
}

export interface Contacts {
  floor: Floor;
  /** ann asks the agent something in a room of its own with these besides; the agent is at work on it. */
  at(agent: Person, text?: string, ...others: Person[]): Promise<Task>;
  /** `contact_agent`, in the agent's newest open task unless told otherwise. */
  contact(from: Person, to: Person | string, call: Call, task?: { id: string }): Promise<ContactOutcome>;
  /** Asks, or delegates, and waits until the other has begun with it. */
  ask(from: Person, to: Person, call?: Call): Promise<{ outcome: Promise<ContactOutcome>; task: Task }>;
  /** The agent's newest task. */
  newest(agent: Person): Promise<Task>;
  row(taskId: string): Promise<TaskRow>;
  say(agent: Person, kind: 'progress' | 'question' | 'answer', body: string, task?: Task): Promise<Message>;
  decline(agent: Person, reason: string): Promise<void>;
  /** What was said in the DM of the two. */
  dm(a: Person, b: Person): Promise<string[]>;
  /** Rows of a sub-task. */
  state(taskId: string): Promise<string>;
  count(table: 'tasks' | 'messages' | 'conversations' | 'contacts'): Promise<number>;
}

export async function contactsOn(engine: Ground['engine'], overrides: Parameters<typeof floorOn>[1] = {}): Promise<Contacts> {
  const floor = await floorOn(engine, overrides);
  const kernel = () => floor.kit.hub.kernel;
  let rooms = 0;
  const rows = async (where: string, params: unknown[]) => kernel().store.rows('tasks', where, params);
  const viewed = async (row: TaskRow): Promise<Task> =>
    (await floor.ann.call('getChain', { params: { chainId: row.chain_id } })).steps.find(({ id }) => id === row.id) as Task;
  const contacts: Contacts = {
    floor,
    at: async (agent, text = 'do it', ...others) => {
      const here = await floor.channel(`room-${rooms++}`, agent, ...others);
      await floor.ann.post(here, `^${agent.handle} ${text}`);
      await floor.pass();
      return contacts.newest(agent);
    },
    contact: async (from, to, { action = 'ask', message = 'what is it?', lease, ...rest }, task) => {
      const [held] = task
        ? [await contacts.row(task.id)]
        : await rows("where agent_id = ? and open = 1 order by state = 'active' desc, seq desc limit 1", [from.id]);
      const { by } = (await kernel().auth.principal(from.token))!;
      const targetId = typeof to === 'string' ? to : to.id;
      return contact(kernel(), { by, taskId: held!.id, lease: lease ?? held!.lease, action, targetId, message, ...rest });
    },
    ask: async (from, to, call = {}) => {
      const active = async () => rows("where agent_id = ? and state = 'active'", [to.id]);
      const known = new Set((await active()).map(({ id, lease }) => `${id} ${lease}`));
      const outcome = contacts.contact(from, to, call);
      // Nobody is surprised when it is refused: it is looked at later.
      outcome.catch(() => {});
      const task = await eventually(async () => (await active()).find(({ id, lease }) => !known.has(`${id} ${lease}`)));
      return { outcome, task: await viewed(task) };
    },
    newest: async (agent) => viewed((await rows('where agent_id = ? order by seq desc limit 1', [agent.id]))[0]!),
    row: async (taskId) => (await rows('where id = ?', [taskId]))[0]!,
    say: async (agent, kind, body, task) => {
      const said = await floor.say(agent, task ?? (await contacts.newest(agent)), kind, body);
      await floor.pass();
      if (said.status !== 200) throw new Error(JSON.stringify(said.body));
      return said.body as Message;
    },
    decline: async (agent, reason) => {
      const { id } = await contacts.newest(agent);
      const { lease } = await contacts.row(id);
      await agent.call('declineTask', { params: { taskId: id }, body: { reason, lease } });
      await floor.pass();
    },
    dm: async (a, b) => {
      const key = [a.id, b.id].sort().join(',');
      const messages = await kernel().store.rows(
        'messages',
        'where conversation_id in (select id from conversations where dm_key = ?) order by seq',
        [key],
      );
      return messages.map(({ body }) => body ?? '');
    },
    state: async (taskId) => {
      const [contactRow] = await kernel().store.rows('contacts', 'where task_id = ?', [taskId]);
      return `${(await contacts.row(taskId)).state} ${contactRow!.state}`;
    },
    count: async (table) => (await kernel().store.all<{ n: number }>(`select count(*) as n from ${table}`))[0]!.n,
  };
  return contacts;
}

/** Resolves when something is so; nothing is slept for. */
export async function eventually<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  let found: T | undefined | false;
  await until(async () => (found = await look()) !== undefined && found !== false);
  return found as T;
}

/** The same for all tests of a suite. */
export function contactsFor(...settings: Parameters<typeof contactsOn>): { on: Contacts; floor: Floor } {
  const on = makeOnce(
    () => contactsOn(...settings),
    ({ floor }) => floor.kit.stop(),
  );
  return { on, floor: partOf(on, 'floor') };
}
