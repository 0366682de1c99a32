// People and agents in a room whose messages are edited.

import type { Message, Task } from '@parley/protocol';
import { type Ground, makeOnce, type Person } from '@parley/testkit';
import { type Floor, floorFor } from './floor.ts';

export interface Editing {
  floor: Floor;
  ann: Person;
  bob: Person;
  a: Person;
  b: Person;
  c: Person;
  /** A channel of its own, with these in it, or with everybody. */
  room: (...members: Person[]) => Promise<string>;
  /** Turns begin; nobody is still writing. */
  settle: () => Promise<void>;
  edit: (
    message: Pick<Message, 'id'>,
    body: string,
    more?: { version?: number; confirmAll?: number },
    by?: Person,
  ) => ReturnType<Person['ask']>;
  /** Said by ann, and begun. */
  asked: (here: string, body: string) => Promise<Message>;
  tasksOf: (here: string, agent: Person) => Promise<Task[]>;
  /** The last of them. */
  of: (here: string, agent: Person) => Promise<Task>;
}

export function editingFor(engine: Ground['engine']): Editing {
  const { floor, ann, bob } = floorFor(engine);
  const a = makeOnce(() => floor.agent('A'));
  const b = makeOnce(() => floor.agent('B'));
  const c = makeOnce(() => floor.agent('C'));
  let n = 0;
  const settle = () => floor.pass(5000);
  const tasksOf = async (here: string, agent: Person): Promise<Task[]> =>
    (await floor.tasks(here)).filter(({ agentId }) => agentId === agent.id).toSorted((one, other) => one.seq - other.seq);
  return {
    floor,
    ann,
    bob,
    a,
    b,
    c,
    room: (...members) => floor.channel(`edits-${n++}`, ...(members.length > 0 ? members : [bob, a, b, c])),
    settle,
    edit: (message, body, more = {}, by = ann) => by.ask('editMessage', { params: { messageId: message.id }, body: { body, ...more } }),
    asked: async (here, body) => {
      const message = await ann.post(here, body);
      await settle();
      return message;
    },
    tasksOf,
    of: async (here, agent) => (await tasksOf(here, agent)).at(-1)!,
  };
}
