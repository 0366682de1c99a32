// What tests of turns inside the hub look at: the owner's tasks and messages, and the DM with ^ORAC.

import type { Message, Task } from '@parley/protocol';
import type { Person } from '@parley/testkit';

export const tasksOf = async (owner: Person): Promise<Task[]> => (await owner.call('listTasks', { query: { state: 'all' } })).tasks;

export const bodiesOf = async (owner: Person, conversationId: string): Promise<Message['body'][]> =>
  (await owner.call('listMessages', { params: { conversationId }, query: {} })).messages.map(({ body }) => body);

/** The id of the owner's DM with ^ORAC. */
export async function oracDm(owner: Person): Promise<string> {
  const orac = (await owner.call('listAgents', {})).agents.find(({ handle }) => handle === 'ORAC')!;
  return (await owner.call('openDm', { body: { memberIds: [orac.id] } })).id;
}

/** What two messages come to when the second is said after an agent has begun to work on the first. */
export const bothAnswered = [
  'do that',
  'working',
  'and this',
  'request: do that',
  'request: do that | progress: working | follow_up: and this | progress: request: do that',
];
