// contact_agent (IAC-1). What is wrong with a call is told by the command in words that say what to do, so nothing but the
// form of it is asked here.

import { z } from 'zod';
import type { ToolHub } from '../at-work.ts';
import { type WorkspaceTool, workspaceTool } from './tool.ts';

const text = z.string().default('');

export const contactAgent = (contact: ToolHub['contact']): WorkspaceTool =>
  workspaceTool({
    name: 'contact_agent',
    description: 'Send a message, ask a question, or delegate work to another agent.',
    readOnly: false,
    schema: z.object({
      action: text.describe(
        '`ask`: waits for the answer and returns it. `delegate`: hands work over; the result comes to you by itself when it is done. `notify`: leaves a message, and wakes nobody.',
      ),
      agentId: text.describe('Target agent’s id. Use `query_workspace(action: "list_agents")` to discover agents.'),
      message: text.describe('The question, task description, or notification to send.'),
      context: z
        .string()
        .optional()
        .describe(
          'Background the receiving agent needs. Summarize what matters from your conversation: the target does NOT see your original thread.',
        ),
      priority: z.string().optional().describe('For `delegate` only: `low`, `normal` (default), `high`, `urgent`.'),
    }),
    run: ({ by, agentId, taskId, lease }, { agentId: targetId, ...call }, { key, signal }) =>
      contact({ by, agentId, taskId, lease, key, targetId, ...call }, signal),
  });
