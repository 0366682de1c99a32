// One agent's folder as it stands on disk: `agent.yaml`, `instructions.md`, `memory.md`. All of it or nothing: with anything
// wrong in it, only what is wrong comes back, with file, line, column and field.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderProblem, Handle, Identity, plainly, problemsOf } from '@parley/protocol';
import { z } from 'zod';
import type * as yaml from 'yaml';
import { textOf, Unreadable } from './read-file.ts';

const files = ['agent.yaml', 'instructions.md', 'memory.md'] as const;
type File = (typeof files)[number];

const AgentFile = z.strictObject({
  name: Identity.shape.profile.shape.displayName.optional(),
  about: Identity.shape.profile.shape.about.default(''),
  owner: Handle.optional(),
  manager: Identity.shape.manager.default(null),
  mode: Identity.shape.mode.default('autonomous'),
  tools: Identity.shape.tools.default([]),
  brain: Identity.shape.brain.default({ kind: 'builtin' }),
});

export interface FolderRead {
  identity: Identity;
  owner: string | undefined;
  /** What the workspace finds wrong in it, where it stands. */
  place: (field: string, message: string) => FolderProblem;
}

export interface Folder {
  /** Of all folders, `agents/`. */
  root: string;
  handle: string;
}

/** Changes whenever one of the files does. */
export async function fingerprint({ root, handle }: Folder): Promise<string> {
  const about = await Promise.all(['', ...files].map((name) => lstat(join(root, handle, name), { bigint: true }).catch(() => undefined)));
  return about.map((one) => (one ? `${one.ino}.${one.size}.${one.mtimeNs}.${one.ctimeNs}` : '-')).join(' ');
}

export async function readFolder(folder: Folder): Promise<FolderRead | { problems: FolderProblem[] }> {
  const { root, handle } = folder;
  const problem = (file: string, field: string, message: string, at?: { line: number; col: number }): FolderProblem => ({
    file: ['agents', handle, file].filter((part) => part !== '').join('/'),
    line: at?.line ?? null,
    column: at?.col ?? null,
    field,
    message,
  });
  const about = await lstat(join(root, handle)).catch(() => undefined);
  if (!about?.isDirectory()) return { problems: [problem('', '(folder)', 'must be a folder itself, and no link to one')] };
  const problems: FolderProblem[] = [];
  const named = Handle.safeParse(handle, plainly);
  if (!named.success) problems.push(...problemsOf(named.error).map(({ message }) => problem('', 'handle', message)));
  const texts = {} as Record<File, string>;
  for (const file of files) {
    try {
      texts[file] = await textOf(join(root, handle, file), file !== 'agent.yaml');
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push(problem(file, '(file)', error.message));
    }
  }
  if (problems.length > 0) return { problems };
  // Only where there is such a folder: a hub without any does not need it.
  const library = await import('yaml');
  const lines = new library.LineCounter();
  const document = library.parseDocument(texts['agent.yaml'], { lineCounter: lines, prettyErrors: false });
  const wrong = document.errors.map(({ message, pos }) => problem('agent.yaml', '(yaml)', message, lines.linePos(pos[0])));
  if (wrong.length > 0) return { problems: wrong };
  const place = (field: string, message: string): FolderProblem => {
    if (field === 'instructions' || field === 'memory') return problem(`${field}.md`, field, message);
    if (field === 'handle') return problem('', field, message);
    return problem('agent.yaml', field, message, positionOf(document, lines, field.split('.'), library));
  };
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch (error) {
    return { problems: [problem('agent.yaml', '(yaml)', (error as Error).message)] };
  }
  const read = AgentFile.safeParse(content, plainly);
  if (!read.success) return { problems: problemsOf(read.error).map(({ field, message }) => place(field, message)) };
  const { name, about: told, owner, ...rest } = read.data;
  const whole = {
    profile: { handle, displayName: name ?? handle, about: told },
    instructions: texts['instructions.md'],
    memory: texts['memory.md'],
    ...rest,
  };
  const identity = Identity.safeParse(whole, plainly);
  if (!identity.success) return { problems: problemsOf(identity.error).map(({ field, message }) => place(field, message)) };
  return { identity: identity.data, owner, place };
}

/** Of the field, or of the nearest thing round it that is there. */
function positionOf(
  document: yaml.Document.Parsed,
  lines: yaml.LineCounter,
  path: readonly string[],
  { isNode, isMap }: Pick<typeof yaml, 'isNode' | 'isMap'>,
): { line: number; col: number } {
  for (let depth = path.length; depth > 0; depth--) {
    const around: unknown = depth === 1 ? document.contents : document.getIn(path.slice(0, depth - 1), true);
    const pair = isMap(around) ? around.items.find(({ key }) => isNode(key) && String(key) === path[depth - 1]) : undefined;
    const key = isNode(pair?.key) ? pair.key : undefined;
    const value: unknown = pair?.value ?? document.getIn(path.slice(0, depth), true);
    // The value says it best; a key that should not be there has to do where it has none.
    const range = (isNode(value) ? value.range : undefined) ?? key?.range;
    if (range) return lines.linePos(range[0]);
  }
  return { line: 1, col: 1 };
}
