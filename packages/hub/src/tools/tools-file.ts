// tools.yaml in the data folder: tool servers as the operator writes them down. Its problems are reported with line and
// field, and nothing of a file with a mistake is used: its last valid version stays in force.

import { textOf, Unreadable } from '../watched-files/watched-files.ts';
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
  const { largestSettings, readText } = await import('@parley/core/yaml');
  const read = readText(text, largestSettings);
  // With nothing in it, or nothing but comments, it names no server.
  if (!read.ok && text.replaceAll(/^\s*#.*$/gm, '').trim() !== '')
    return { problems: read.problems.map(({ line, message }) => ({ line, field: '(file)', message })) };
  const [document, second] = read.documents;
  if (second) return { problems: [{ line: second.start.line, field: '(file)', message: 'must be one document: take away the line ---' }] };
  const parsed = Content.safeParse(document?.value ?? {}, plainErrors);
  if (parsed.success) return { servers: new Map(Object.entries(parsed.data.servers ?? {})) };
  const pathOf = (field: string): (string | number)[] => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  const problems = problemsOf(parsed.error).map(({ field, message }) => ({
    line: field === '(body)' ? 1 : (document?.placeOf(pathOf(field)).line ?? 1),
    field: field.replace(/^\(body\)$/, '(file)'),
    message,
  }));
  return { problems };
}
