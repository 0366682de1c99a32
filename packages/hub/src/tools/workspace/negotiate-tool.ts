// negotiate (A2C-34): the peer of the person behind the task asks another person's peer. The agent reads the result when both are done.

import { OpenNegotiation } from '@parley/protocol';
import { z } from 'zod';
import { type WorkspaceTool, workspaceTool } from './tool.ts';

const needs = OpenNegotiation.shape.needs.describe('Fields that you need from the other person, at most 5; each with its reason.');

export const negotiate: WorkspaceTool = workspaceTool({
  name: 'negotiate',
  description:
    'Lets your requester’s own peer arrange something with the peer of another person, or with a group of them. Everybody is asked before anything is shared or agreed. The result comes later, as with a delegation.',
  readOnly: false,
  schema: z.strictObject({
    with: OpenNegotiation.shape.with.describe('A person’s @handle here, or the address of their peer. A list of them is a group.'),
    intent: OpenNegotiation.shape.intent.describe('What is to be arranged, in the requester’s own words, with the day if they named one.'),
    needs,
    quorum: OpenNegotiation.shape.quorum.describe(
      'In a group: so many confirmations are enough, the requester’s too. Left out: everybody’s.',
    ),
  }),
  run: ({ hub, by, agentId, taskId, lease }, call, { key }) =>
    hub.negotiate({ by, key: `${agentId} ${taskId} ${key}`, task: { id: taskId, lease, agentId }, ...OpenNegotiation.parse(call) }),
});
