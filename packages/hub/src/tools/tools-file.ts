// tools.yaml in the data folder: tool servers as the operator writes them down. Its problems are reported with line and
// field, and nothing of a file with a mistake is used: its last valid version stays in force.

import { readSettings, textOf, Unreadable } from '../watched-files/watched-files.ts';
import { plainErrors, problemsOf, ToolServerConfig, ToolServerName } from '@parley/protocol';
import { z } from 'zod';
import { mostServers } from '../engine/commands/agents/tool-servers.ts';

export interface ToolsFileProblem {
  line: number;
  field: string;
  message: string;
}
export type ToolsFile = { servers: Map<string, ToolServerConfig> } | { problems: ToolsFileProblem[] };

const Content = z.strictObject({
  servers: z
    .record(ToolServerName, ToolServerConfig)
    .refine((servers) => Object.keys(servers).length <= mostServers, `must be at most ${mostServers}`)
    .nullable()
    .default(null),
});

/** Undefined: there is none. */
export async function readToolsFile(path: string): Promise<ToolsFile | undefined> {
  let text: string;
  try {
    text = await textOf(path, true);
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { problems: [{ line: 0, field: '(file)', message: error.message }] };
  }
  if (text === '') return undefined;
  return parseTools(text);
}

async function parseTools(text: string): Promise<ToolsFile> {
  const read = await readSettings(text);
  if ('problems' in read) return { problems: read.problems.map(({ line, message }) => ({ line, field: '(file)', message })) };
  const parsed = Content.safeParse(read.value, plainErrors);
  if (parsed.success) return { servers: new Map(Object.entries(parsed.data.servers ?? {})) };
  const problems = problemsOf(parsed.error).map(({ field, message }) =>
    field === '(body)' ? { line: 1, field: '(file)', message } : { line: read.placeOf(field).line, field, message },
  );
  return { problems };
}
