// A read that an agent makes by itself, on its line or over HTTP, and not as a tool of its turn. The agent's mode asks for
// an approval as it does in a turn (IAC-12): an approval covers this read, and is used up by it.

import { isOpen, textsIn, approvalReasonFor } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { type Handler } from '../../command.ts';
import { modeOf } from '../../steps/agents/agents.ts';
import { approvalFor, approvalWants, approverFor } from '../../steps/approvals/approvals.ts';
import { audienceOf, mustMayLeave } from '../../steps/conversations/egress.ts';
import { agentActing, mustBeHolder, taskFor, taskWants } from '../../steps/tasks/task-access.ts';

export interface ReadApprovalCommands {
  'task.read': [{ taskId: string; agentId: string; name: string; input: object }, { verdict: 'granted' | 'pending' | 'denied' }];
}

const read: Handler<'task.read'> = {
  needs: (c) => [...taskWants(c.taskId), ...approvalWants(c.taskId), { table: 'identities', values: [c.agentId] }],
  decide: (c, tx) => {
    const agent = agentActing(c.by, c.agentId, tx);
    const task = taskFor(c.taskId, tx);
    mustBeHolder(task, agent.id, tx);
    if (!isOpen(task.state)) throw new ParleyError('task_over');
    const why = approvalReasonFor({ kind: 'tool', name: c.name, readOnly: true }, { mode: modeOf(agent.id, tx), tainted: false });
    if (why === null) return { verdict: 'granted' };
    // The approver reads the search text.
    const approverId = approverFor(agent.id, tx);
    if (approverId !== undefined) mustMayLeave(textsIn(c.input).join('\n'), task, () => audienceOf([approverId], tx), tx);
    return { verdict: approvalFor({ task, agentId: agent.id, name: c.name, input: c.input, why }, tx) };
  },
};

export const readApprovalHandlers = { 'task.read': read };
