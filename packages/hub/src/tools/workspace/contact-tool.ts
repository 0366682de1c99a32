// contact_agent (IAC-1). The command answers a faulty call with words that say what to do, so only its form is checked
// here.

import { contactActions, priorities } from '@parley/core';
import { z } from 'zod';
import type { ToolHub } from '../tool-caller.ts';
import { type WorkspaceTool, workspaceTool } from './tool.ts';

const text = z.string().default('');

const taken = z.object({ action: text, agentId: text, message: text, context: z.string().optional(), priority: z.string().optional() });

/** What a model reads of it is stricter: it is to know what it has to say, and which words there are. */
const listed = z.object({
  action: z
    .enum(contactActions)
    .describe(
      '`ask`: waits for the answer and returns it. `delegate`: hands work over; you get the result when it is done. `notify`: leaves a message, and wakes nobody.',
    ),
  agentId: z.string().describe('Target agent’s id or handle. Use `query_workspace(action: "list_agents")` to discover agents.'),
  message: z.string().describe('The question, task description, or notification to send.'),
  context: z
    .string()
    .optional()
    .describe(
      'Background the receiving agent needs. Summarize what matters from your conversation: the target does NOT see your original thread.',
    ),
  priority: z.enum(priorities).optional().describe('For `delegate` only: `low`, `normal` (default), `high`, `urgent`.'),
});

export const contactAgent = (contact: ToolHub['contact']): WorkspaceTool =>
  workspaceTool({
    name: 'contact_agent',
    description: 'Send a message, ask a question, or delegate work to another agent.',
    readOnly: false,
    schema: taken,
    listed,
    run: ({ by, agentId, taskId, lease }, { agentId: targetId, ...call }, { key, signal }) =>
      contact({ by, agentId, taskId, lease, key, targetId, ...call }, signal),
  });
