// Tool servers (MCP): how the hub reaches each, its tools and its state; and the tools of an agent during a turn.

import { z } from 'zod';
import { MemberId } from '../ids.ts';
import { printableLine } from '../text/one-line.ts';

/** Part of `mcp://name`, and of the tool names that models call. */
export const ToolServerName = z
  .string()
  .regex(/^[a-z](?:[a-z0-9]|-(?!-)){0,23}$/, 'must be 1 to 24 lower-case letters, digits and single hyphens, and begin with a letter');

export const ToolAccess = z.enum(['read', 'write']);
export type ToolAccess = z.infer<typeof ToolAccess>;

/** The hub replaces `secret:NAME` when it connects, and stores only the name. */
export const secretReference = /secret:([A-Za-z_][A-Za-z0-9_.-]*)/g;
const sensitiveName = /auth|key|token|secret|passw|cookie|credential/i;

const boundedRecord = <T extends z.ZodType>(key: z.ZodString, value: T, most: number) =>
  z
    .record(key, value)
    .refine((record) => Object.keys(record).length > 0, 'must not be empty; leave it out')
    .refine((record) => Object.keys(record).length <= most, `must have at most ${most} entries`);

const secretRecord = (key: z.ZodString) =>
  boundedRecord(key, printableLine(4000), 50).superRefine((record, context) => {
    for (const [name, value] of Object.entries(record))
      if (sensitiveName.test(name) && value.search(secretReference) === -1)
        context.addIssue({ code: 'custom', path: [name], message: 'must be secret:NAME: it would be kept in clear' });
  });

export const ToolServerConfig = z
  .strictObject({
    command: printableLine(1000).optional().describe('a program on the hub’s machine that speaks MCP on its standard input and output'),
    args: z.array(printableLine(4000)).max(100, 'must be at most 100').optional(),
    env: secretRecord(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, 'is not the name of a variable'))
      .optional()
      .describe('it gets these, PATH and HOME, and nothing else; use `secret:NAME` for secret secretRecord'),
    cwd: printableLine(1000).optional(),
    url: printableLine(2000)
      .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), 'must be an address of the form https://host/path')
      .optional()
      .describe('or a server that is reached by streamable HTTP'),
    headers: secretRecord(z.string().regex(/^[A-Za-z0-9-]{1,100}$/, 'is not the name of a header'))
      .optional()
      .describe('`secret:NAME`, or `Bearer secret:NAME`, for secret secretRecord'),
    timeoutMs: z.int().min(100).max(600_000).optional().describe('for one call; default 60000'),
    maxOutput: z.int().min(100).max(200_000).optional().describe('characters of a result; the rest is cut off; default 20000'),
    owner: printableLine(64).optional().describe('the person whose data it returns, by handle or member ID; left out: the workspace’s'),
    tools: boundedRecord(z.string().min(1).max(128), ToolAccess, 500)
      .optional()
      .describe('whether a tool only reads, whatever its server says of it'),
  })
  .superRefine((config, context) => {
    // An unknown field may be one of these, misspelt: one mistake is reported once.
    if (context.issues.length > 0) return;
    const issue = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    const { command, url } = config;
    if ((command === undefined) === (url === undefined)) return issue('command', 'give either this or url');
    for (const field of ['args', 'env', 'cwd'] as const)
      if (url !== undefined && config[field] !== undefined) issue(field, 'is for a command');
    if (command !== undefined && config.headers !== undefined) issue('headers', 'is for a url');
  });
export type ToolServerConfig = z.infer<typeof ToolServerConfig>;

export const OfferedTool = z.object({
  name: z.string().describe('as its server calls it'),
  calledAs: z.string().describe('as agents call it'),
  access: ToolAccess,
  says: ToolAccess.describe('what its server says now; `access` differs where the configuration, or the first listing, says otherwise'),
});

export const ToolServer = z.object({
  name: ToolServerName,
  kind: z.enum(['stdio', 'http']),
  source: z.enum(['api', 'file']).describe('`file`: in tools.yaml, and only there to be changed'),
  state: z.enum(['idle', 'connecting', 'up', 'down']).describe('`idle`: nobody has needed it yet; `down`: the hub retries it'),
  since: z.number().nullable(),
  restarts: z.number().describe('the number of retries since the hub started'),
  ran: z.boolean().describe('it was up at least once since then'),
  tools: z.array(OfferedTool).describe('as of its last listing'),
  config: ToolServerConfig.nullable().describe('null: you may not change it'),
  problem: z.string().nullable().describe('why it is down, and which of its tools cannot be used'),
  setBy: MemberId.nullable(),
  owner: z.string().nullable().describe('the person whose data it returns; null: the workspace’s'),
});
export type ToolServer = z.infer<typeof ToolServer>;

export const AcceptTools = z.strictObject({
  tool: printableLine(128).optional().describe('as its server calls it; left out: all of them'),
});

export const ToolServers = z.object({
  servers: z.array(ToolServer),
  file: z
    .object({ problems: z.array(z.object({ line: z.number(), field: z.string(), message: z.string() })) })
    .nullable()
    .describe('tools.yaml, if there is one; with problems, its last valid version stays in force'),
});
export type ToolServers = z.infer<typeof ToolServers>;

/** One tool in an agent's list. */
export const AgentTool = z.object({
  name: z.string(),
  description: z.string(),
  input: z.record(z.string(), z.unknown()).describe('JSON Schema of its arguments'),
  readOnly: z.boolean(),
});
export type AgentTool = z.infer<typeof AgentTool>;

export const ToolCallResult = z.object({
  text: z.string().describe('text from outside, and never more than that'),
  isError: z.literal(true).optional(),
});
export type ToolCallResult = z.infer<typeof ToolCallResult>;
