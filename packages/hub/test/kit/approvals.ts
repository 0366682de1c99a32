// Agents driven by hand that ask for approval, as `contact.start` does for a contact.

import { approvalLimits } from '@parley/core';
import type { Checkpoint } from '@parley/protocol';
import type { Ground, Person } from '@parley/testkit';
import type { Command, Handlers, Tx } from '../../src/engine/command.ts';
import { operator } from '../../src/engine/command.ts';
import { handlers } from '../../src/engine/handlers.ts';
import { workLimits } from '../../src/engine/limits.ts';
import { approvalFor } from '../../src/engine/steps/approvals/approvals.ts';
import { heldTask, taskWants } from '../../src/engine/steps/tasks/task-access.ts';
import type { TaskRow } from '../../src/store/tables.ts';
import { type Floor, floorOn } from './floor.ts';

interface Ask {
  type: 'probe.ask';
  by: typeof operator;
  agentId: string;
  taskId: string;
  lease: number;
  input: object;
  pair: string;
}

/** The step alone, under the lock and lease that the command which takes it has. */
const probing = {
  ...handlers,
  'probe.ask': {
    locks: () => [],
    needs: (c: Ask) => taskWants(c.taskId),
    decide: (c: Ask, tx: Tx) => {
      const task = heldTask(c, tx);
      const call = { task, agentId: c.agentId, name: 'contact_agent', input: c.input, why: 'rule', pair: c.pair } as const;
      return { verdict: approvalFor(call, tx) };
    },
  },
} as unknown as Handlers;

/** Here an hour takes a minute. */
export const hour = 60_000;

export interface World extends Floor {
  /** The agent's task in a room of its own, begun. */
  begun(agent: Person, text?: string): Promise<{ here: string; taskId: string }>;
  row(taskId: string): Promise<TaskRow>;
  /** It would contact the other. */
  contact(agent: Person, taskId: string, target: Person, message: string, more?: object): Promise<'granted' | 'pending' | 'denied'>;
  pause(agent: Person, taskId: string): Promise<void>;
  /** What waits for them, oldest first. */
  inbox(who: Person): Promise<Checkpoint[]>;
  answer(who: Person, checkpointId: string, choice: string): ReturnType<Person['ask']>;
}

/** A chain lasts longer than an approval is waited for, so that one that nobody gives expires before it. */
export async function worldOn(engine: Ground['engine'], overrides: Parameters<typeof floorOn>[1] = {}): Promise<World> {
  const approvals = { ...approvalLimits, remindMs: approvalLimits.remindMs.map((ms) => ms / 60), expireMs: approvalLimits.expireMs / 60 };
  const limits = { ...workLimits, approvals };
  const floor = await floorOn(engine, { handlers: probing, limits, ...overrides });
  const { kit } = floor;
  const row = async (taskId: string) => (await kit.hub.kernel.store.rows('tasks', 'where id = ?', [taskId]))[0]!;
  let n = 0;
  return {
    ...floor,
    row,
    begun: async (agent, text = 'do it') => {
      const here = await floor.channel(`room-${n++}`, agent, floor.bob);
      await floor.ann.post(here, `^${agent.handle} ${text}`);
      await floor.pass();
      return { here, taskId: (await floor.tasks(here))[0]!.id };
    },
    contact: async (agent, taskId, target, message, more = {}) => {
      const { lease } = await row(taskId);
      const input = { action: 'ask', agentId: target.id, message, ...more };
      const ask: Ask = { type: 'probe.ask', by: operator, agentId: agent.id, taskId, lease, input, pair: target.id };
      const { verdict } = (await kit.hub.kernel.engine.submit(ask as unknown as Command)) as unknown as {
        verdict: 'granted' | 'pending' | 'denied';
      };
      return verdict;
    },
    pause: async (agent, taskId) => {
      const { lease } = await row(taskId);
      await kit.hub.kernel.engine.submit({ type: 'task.pause', by: operator, agentId: agent.id, taskId, lease });
    },
    inbox: async (who) => (await who.call('listCheckpoints', { query: {} })).checkpoints,
    answer: (who, checkpointId, choice) => who.ask('closeCheckpoint', { params: { checkpointId }, body: { choice } }),
  };
}
