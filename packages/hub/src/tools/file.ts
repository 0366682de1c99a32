// tools.yaml in the data folder: tool servers as whoever runs the hub writes them down. What is wrong in it is told with its
// line and field, and nothing of a file with a mistake is used: what it said before still counts.

import { readFile } from 'node:fs/promises';
import { plainly, problemsOf, ToolServerConfig, ToolServerName } from '@parley/protocol';
import { z } from 'zod';
import { mostServers } from '../engine/commands/tool-servers.ts';

export interface FileProblem {
  line: number;
  field: string;
  message: string;
}
export type ToolsFile = { servers: Map<string, ToolServerConfig> } | { problems: FileProblem[] };

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
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return { problems: [{ line: 0, field: '(file)', message: (error as Error).message }] };
  }
  return parseTools(text);
}

async function parseTools(text: string): Promise<ToolsFile> {
  const { LineCounter, parseDocument, isMap, isPair, isNode } = await import('yaml');
  const lines = new LineCounter();
  // A few anchors that name each other many times would be a file without end.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const wrong = document.errors.map(({ pos, message }) => ({ line: lines.linePos(pos[0]).line, field: '(file)', message }));
  if (wrong.length > 0) return { problems: wrong };
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 20 }) ?? {};
  } catch (error) {
    return { problems: [{ line: 1, field: '(file)', message: (error as Error).message }] };
  }
  const parsed = Content.safeParse(content, plainly);
  if (parsed.success) return { servers: new Map(Object.entries(parsed.data.servers ?? {})) };

  /** Where a field stands; of one that is missing, what it is missing in. */
  const lineOf = (path: string[]): number => {
    let at: unknown = document.contents;
    let line = 1;
    for (const key of path) {
      const pair = isMap(at) ? at.items.find((item) => isPair(item) && String(item.key) === key) : undefined;
      const next = pair
        ? pair.value
        : isNode(at) && 'get' in at
          ? (at as { get(key: unknown, keep: true): unknown }).get(Number(key), true)
          : undefined;
      const start = pair && isNode(pair.key) ? pair.key.range?.[0] : isNode(next) ? next.range?.[0] : undefined;
      if (start === undefined) return line;
      line = lines.linePos(start).line;
      at = next;
    }
    return line;
  };
  const problems = problemsOf(parsed.error, '').map(({ field, message }) => ({
    line: lineOf(field.split('.')),
    field: field.replace(/^\(body\)$/, '(file)'),
    message,
  }));
  return { problems };
}
