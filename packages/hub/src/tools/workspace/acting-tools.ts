// Tools with which an agent acts in the workspace besides answering. Each is one command, which decides.

import { createHash } from 'node:crypto';
import { defaultGlyphs, signalWords, contactActions, priorities } from '@parley/core';
import { ParleyError, Signal, OpenNegotiation } from '@parley/protocol';
import { z } from 'zod';
import { invalidField } from '../../engine/command.ts';
import { readRows } from '../../engine/decision-reads.ts';
import { channelsNamed } from '../../engine/steps/membership/conversations.ts';
import { asActor } from '../../engine/steps/tasks/task-access.ts';
import { handlesWokenBy, isOffered } from '../../store/reads/tasks.ts';
import { readColumns } from '../../store/where.ts';
import { flagsOn } from '../../turns/words-in-task.ts';
import { AgentReads } from '../../turns/agent-reads.ts';
import type { AtWork, ToolHub } from '../tool-caller.ts';
import { nameSchema, workspaceTool, type WorkspaceTool } from './tool.ts';

const heldTask = ({ by, agentId, taskId, lease }: AtWork) => ({ by, agentId, taskId, lease });

/**
 * By id, or by name where the task may read it: a channel that may not be read and one that is not there look the same. Of
 * several with that name it is the one that the task may speak in.
 */
async function channelOf(at: AtWork, called: string): Promise<string> {
  const { store } = at.hub;
  const reader = new AgentReads(at.hub, at.agentId, at.taskId);
  const [byId] = called.startsWith('#') ? [] : await store.rows('conversations', { id: called });
  if (byId) return (await reader.sight(byId.id)).conversation.id;
  const { joined, open } = await readRows(store, [{ table: 'members', values: [at.agentId] }], (set) =>
    channelsNamed(called.replace(/^#/, ''), asActor(set.get('members', at.agentId)!), set),
  );
  const visibleIds = await Promise.all([...joined, ...open].map(async ({ id }) => ((await isSeen(reader, id)) ? [id] : [])));
  const [first, ...others] = visibleIds.flat();
  if (first === undefined) throw new ParleyError('outside_task');
  if (others.length === 0) return first;
  const { conversation_id: here, outputs } = await reader.task();
  const granted = [first, ...others].filter((id) => id === here || (JSON.parse(outputs) as string[]).includes(id));
  if (granted.length > 1) throw invalidField('channelId', `is the name of several channels: write the id of one (${granted.join(', ')})`);
  return granted[0] ?? first;
}

const isSeen = (reader: AgentReads, id: string): Promise<boolean> =>
  reader.sight(id).then(
    () => true,
    (error: unknown) => {
      if (error instanceof ParleyError && error.code === 'outside_task') return false;
      throw error;
    },
  );

export const sendChannelMessage = workspaceTool({
  name: 'send_channel_message',
  description:
    'Says something in a channel that your task lets you speak in. ^NAME in it wakes that agent there, and only those named; without a name nobody is woken.',
  readOnly: false,
  schema: z.strictObject({
    channelId: nameSchema(200).min(1).describe('its id, or #name'),
    content: z.string().min(1).max(20_000),
  }),
  run: async (at, { channelId, content }) => {
    const conversationId = await channelOf(at, channelId);
    // The same words in the same place are the same message, whichever turn of the task says them.
    const contentDigest = createHash('sha256').update(`${conversationId} ${content}`).digest('base64url').slice(0, 8);
    const { message } = await at.hub.engine.submit({
      type: 'task.say',
      ...heldTask(at),
      key: `${at.taskId}:channel:${contentDigest}`,
      kind: 'progress',
      conversationId,
      body: content,
      waits: true,
    });
    const woken = await handlesWokenBy(at.hub.store, at.taskId, message.id);
    const names = woken.map(({ handle }) => `^${handle}`).join(', ');
    const flags = await flagsOn(at.hub.store, at.taskId, message.id);
    return [`Sent (${message.id}). ${names === '' ? 'Nobody was woken.' : `Woken: ${names}.`}`, ...flags].join('\n');
  },
});

const meanings = Signal.options.map((signal) => `${signal} (${signalWords[signal]})`).join(', ');

export const react = workspaceTool({
  name: 'react',
  description: `Marks a message with a signal instead of words: ${meanings}. On the request of your task, agree, done and declined are your last word.`,
  readOnly: false,
  schema: z.strictObject({ messageId: nameSchema(100), signal: Signal }),
  run: async (at, { messageId, signal }) => {
    const [message] = await at.hub.store.rows('messages', { id: messageId });
    if (!message) throw new ParleyError('outside_task');
    const { from } = await new AgentReads(at.hub, at.agentId, at.taskId).sight(message.conversation_id);
    if (message.seq < from) throw new ParleyError('outside_task');
    const { by, agentId, lease } = at;
    await at.hub.engine.submit({ type: 'message.react', by, agentId, messageId, emoji: defaultGlyphs[signal], on: true, lease });
    return `Marked as ${signal}.`;
  },
});

export const claim = workspaceTool({
  name: 'claim',
  description:
    'Takes on work that is offered to you and that nobody has taken: a task (^ANY, or a team role you hold), or a message on an open floor that you are asked about. It becomes a task of its own beside this one.',
  readOnly: false,
  schema: z
    .strictObject({ taskId: nameSchema(100).optional(), messageId: nameSchema(100).optional() })
    .refine(({ taskId, messageId }) => (taskId === undefined) !== (messageId === undefined), 'name a task or a message'),
  run: async (at, asked) => {
    const { store, engine } = at.hub;
    const nothing = new ParleyError('not_offered');
    const [offered] = asked.taskId === undefined ? [undefined] : await store.rows('tasks', { id: asked.taskId, agent_id: null, open: 1 });
    const messageId = offered?.message_id ?? asked.messageId;
    if (messageId === undefined) throw nothing;
    if (!(await isOffered(store, messageId, at.agentId))) throw nothing;
    // Raised like a hand: the scheduler begins it when there is room.
    await engine
      .submit({ type: 'message.react', by: at.by, agentId: at.agentId, messageId, emoji: defaultGlyphs.claimed, on: true })
      .catch((error: unknown) => {
        // An agent that was not asked learns nothing of the message.
        if (error instanceof ParleyError && (error.code === 'forbidden' || error.code === 'not_found')) throw nothing;
        throw error;
      });
    const [mine] = await readColumns(store, 'tasks', ['id'], { message_id: messageId, agent_id: at.agentId, open: 1 });
    if (!mine) throw nothing;
    return `Claimed: task ${mine.id} begins now.`;
  },
});

// contact_agent (IAC-1). The command answers a faulty call with words that say what to do, so only its form is checked
// here.

const text = z.string().default('');

const contactInput = z.object({
  action: text,
  agentId: text,
  message: text,
  context: z.string().optional(),
  priority: z.string().optional(),
});

/** What a model reads of it is stricter: it is to know what it has to say, and which words there are. */
const listedInput = z.object({
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
    schema: contactInput,
    listed: listedInput,
    run: ({ by, agentId, taskId, lease }, { agentId: targetId, ...call }, { key, signal }) =>
      contact({ by, agentId, taskId, lease, key, targetId, ...call }, signal),
  });

// negotiate (A2C-34): the peer of the person behind the task asks another person's peer. The agent reads the result when both are done.

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
