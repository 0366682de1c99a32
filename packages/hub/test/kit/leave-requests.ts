// What tests of leave requests look at: who was asked to leave, what an agent has in hand, and what it may still say.

import type { Task } from '@parley/protocol';
import type { Person } from '@parley/testkit';
import type { Floor } from './floor.ts';

export interface Leaving {
  /** The members who were asked to leave this conversation. */
  left: (conversationId: string) => Promise<string[]>;
  /** An agent's tasks in this conversation. */
  of: (conversationId: string, agent: Person) => Promise<Task[]>;
  /** A word that names no task: said, or the code of its refusal. */
  bare: (agent: Person, conversationId: string, body: string) => Promise<string | undefined>;
  code: (answer: Promise<{ body: { error?: { code: string } } }>) => Promise<string>;
}

export const leavingOn = (floor: Floor): Leaving => ({
  left: async (conversationId) =>
    (await floor.ann.call('listLeaves', { params: { conversationId } })).leaves.map(({ memberId }) => memberId),
  of: async (conversationId, agent) => (await floor.tasks(conversationId)).filter(({ agentId }) => agentId === agent.id),
  bare: async (agent, conversationId, body) => {
    const answer = await agent.ask('postMessage', { params: { conversationId }, body: { body } });
    return answer.status === 200 ? 'said' : answer.body.error?.code;
  },
  code: async (answer) => (await answer).body.error?.code ?? 'said',
});
