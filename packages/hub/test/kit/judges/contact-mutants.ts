// Hubs in which agents that contact each other are let do, one at a time, what they must not: the judge is to see each of them.

import { readContact } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { type CommandOf, type CommandType, type Decided, type Handlers, type Results, type Tx } from '../../../src/engine/command.ts';
import { handlers } from '../../../src/engine/handlers.ts';
import { answerApproval } from '../../../src/engine/steps/answers/approval-answers.ts';
import { close } from '../../../src/engine/steps/facts/checkpoints.ts';
import { giveWork, notifyAgent } from '../../../src/engine/steps/contact/contacts.ts';
import { openTask, settleChain } from '../../../src/engine/steps/tasks/tasks.ts';
import { asActor } from '../../../src/engine/steps/tasks/task-access.ts';
import type { WorkingSet } from '../../../src/engine/working-set.ts';

export interface ContactMutant {
  lets: string;
  problem: RegExp;
  handlers: Handlers;
}

type Decide<T extends CommandType> = (c: CommandOf<T>, tx: Tx) => Decided<T>;

const hub = <T extends CommandType>(type: T, otherwise: (decide: Decide<T>) => Decide<T>): Handlers => {
  const real: Handlers[T] = handlers[type];
  return { ...handlers, [type]: { ...real, decide: otherwise((c, tx) => real.decide(c, tx)) } };
};

/** Whatever was said to it. */
function contactAnyway(c: CommandOf<'contact.start'>, tx: Tx): Results['contact.start'] | undefined {
  const task = tx.get('tasks', c.taskId)!;
  const target = tx.get('members', c.targetId);
  const call = readContact(c);
  if ('error' in call || !target) return undefined;
  const contacting = { caller: tx.get('members', task.agent_id!)!, target, task, call };
  return call.action === 'notify' ? { message: notifyAgent(contacting, tx) } : { task: giveWork(contacting, tx) };
}

/** What is told in such words is done all the same. */
const inSpite = (words: RegExp): Handlers =>
  hub('contact.start', (decide) => (c, tx) => {
    const said = decide(c, tx);
    return said.result && words.test(said.result.text) ? (contactAnyway(c, tx) ?? said) : said;
  });

/** Its own, at work, under its lease. */
function heldBy(c: CommandOf<'task.say'>, set: WorkingSet) {
  const task = c.taskId === null ? undefined : set.get('tasks', c.taskId);
  const held = 'memberId' in c.by && task?.agent_id === c.by.memberId && task.lease === c.lease && task.state === 'active';
  return held && c.kind === 'answer' ? task : undefined;
}

export const contactMutants: readonly ContactMutant[] = [
  { lets: 'contact those it must not', problem: /is not permitted \(/, handlers: inSpite(/not permitted/) },
  { lets: 'contact others before anybody said yes', problem: /had nobody’s yes/, handlers: inSpite(/Waiting for approval/) },
  {
    lets: 'give work in a circle, and too deep',
    problem: /goes in a circle|is at depth 4,/,
    handlers: inSpite(/depth|already working above/),
  },
  {
    lets: 'contact others under an old lease',
    problem: /contacted another in \S+ under lease/,
    handlers: hub('contact.start', (decide) => (c, tx) => {
      const task = tx.get('tasks', c.taskId);
      return decide(task && c.lease < task.lease ? { ...c, lease: task.lease } : c, tx);
    }),
  },
  {
    lets: 'use one yes twice',
    problem: /had nobody’s yes|kept as approved, its facts say used/,
    handlers: hub('contact.start', (decide) => (c, tx) => {
      const said = decide(c, tx);
      for (const row of tx.find('approvals', 'whole', c.taskId))
        if (row.state === 'used') tx.update('approvals', row, { state: 'approved' });
      return said;
    }),
  },
  {
    lets: 'wake others by a notification',
    problem: /was woken by \S+, which is to wake nobody/,
    handlers: hub('contact.start', (decide) => (c, tx) => {
      const said = decide(c, tx);
      const task = tx.get('tasks', c.taskId)!;
      if (!said.message) return said;
      const dm = tx.get('conversations', said.message.conversation_id)!;
      const woken = { agentId: c.targetId, requesterId: task.agent_id!, conversation: dm, home: dm, messageId: said.message.id } as const;
      openTask({ ...woken, addressedBy: 'mention', mode: 'buffered', within: { chainId: task.chain_id, parent: task }, here: true }, tx);
      settleChain(task.chain_id, tx);
      return said;
    }),
  },
  {
    lets: 'hear of one result twice',
    problem: /: once more|kept as ended, its facts say delegate, given/,
    handlers: hub('task.begin', (decide) => (c, tx) => {
      const untold = tx.find('contacts', 'parent', c.taskId, 'ended');
      const begun = decide(c, tx);
      for (const { task_id } of untold) {
        const contact = tx.get('contacts', task_id)!;
        if (contact.state === 'given') tx.update('contacts', contact, { state: 'ended' });
      }
      return begun;
    }),
  },
  {
    lets: 'answer while others are at work for it',
    problem: /was answered, though/,
    handlers: hub('task.say', (decide) => (c, tx) => {
      const task = heldBy(c, tx);
      for (const contact of task ? tx.find('contacts', 'parent', task.id, 'pending') : [])
        tx.update('contacts', contact, { state: 'late' });
      return decide(c, tx);
    }),
  },
  {
    lets: 'have everyone hear what one of them was asked',
    problem: /was asked was told in/,
    handlers: hub('task.say', (decide) => (c, tx) => {
      const task = heldBy(c, tx);
      const contact = task?.addressed_by === 'agent_ask' ? tx.get('contacts', task.id) : undefined;
      if (contact?.state === 'pending') tx.update('contacts', contact, { action: 'delegate' });
      return decide(c, tx);
    }),
  },
  {
    lets: 'have anyone say yes',
    problem: /answered \S+, which \S+ was asked/,
    handlers: hub('checkpoint.close', (decide) => (c, tx) => {
      try {
        return decide(c, tx);
      } catch (error) {
        const row = tx.get('checkpoints', c.checkpointId);
        if (
          !(error instanceof ParleyError) ||
          !['forbidden', 'not_found'].includes(error.code) ||
          row?.kind !== 'approval' ||
          row.open === 0 ||
          !('memberId' in c.by)
        )
          throw error;
        answerApproval(row, 'approve', asActor(tx.get('members', c.by.memberId)!), tx);
        return { checkpoint: close(row, c.by.memberId, 'approve', tx), already: false };
      }
    }),
  },
];
