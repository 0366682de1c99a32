// One agent's folder on disk: `agent.yaml`, `instructions.md`, `memory.md`. A folder with any problem is not read at all: only the
// problems come back, with file, line, column and field.

import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderProblem, Handle, Identity, HandleOrId, plainErrors, problemsOf } from '@parley/protocol';
import { z } from 'zod';
import { fingerprint, readSettings, textOf, Unreadable } from '../watched-files/watched-files.ts';

export const agentFiles = ['agent.yaml', 'instructions.md', 'memory.md'] as const;
type File = (typeof agentFiles)[number];

const AgentFile = z.strictObject({
  name: Identity.shape.profile.shape.displayName.optional(),
  about: Identity.shape.profile.shape.about.default(''),
  owner: HandleOrId.optional(),
  manager: HandleOrId.nullable().default(null),
  mode: Identity.shape.mode.default('autonomous'),
  tools: Identity.shape.tools.default([]),
  brain: Identity.shape.brain.default({ kind: 'builtin' }),
});

export interface FolderRead {
  identity: Identity;
  owner: string | undefined;
  /** Turns a problem that the workspace finds into one with its place in the files. */
  place: (field: string, message: string) => FolderProblem;
}

export interface Folder {
  /** The folder `agents/`, which holds all of them. */
  root: string;
  handle: string;
}

/** Changes whenever one of the files does. */
export async function folderPrint({ root, handle }: Folder): Promise<string> {
  const about = await Promise.all(
    ['', ...agentFiles].map((name) => lstat(join(root, handle, name), { bigint: true }).catch(() => undefined)),
  );
  return about.map(fingerprint).join(' ');
}

export async function readFolder(folder: Folder): Promise<FolderRead | { problems: FolderProblem[] }> {
  const { root, handle } = folder;
  const problem = (file: string, field: string, message: string, at?: { line: number; column: number }): FolderProblem => ({
    file: ['agents', handle, file].filter((part) => part !== '').join('/'),
    line: at?.line ?? null,
    column: at?.column ?? null,
    field,
    message,
  });
  const about = await lstat(join(root, handle)).catch(() => undefined);
  if (!about?.isDirectory()) return { problems: [problem('', '(folder)', 'must be a folder itself, and no link to one')] };
  const problems: FolderProblem[] = [];
  const named = Handle.safeParse(handle, plainErrors);
  if (!named.success) problems.push(...problemsOf(named.error).map(({ message }) => problem('', 'handle', message)));
  const texts = {} as Record<File, string>;
  for (const file of agentFiles) {
    try {
      texts[file] = await textOf(join(root, handle, file), file !== 'agent.yaml');
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      problems.push(problem(file, '(file)', error.message));
    }
  }
  if (problems.length > 0) return { problems };
  const settings = await readSettings(texts['agent.yaml']);
  if ('problems' in settings)
    return { problems: settings.problems.map(({ message, ...at }) => problem('agent.yaml', '(yaml)', message, at)) };
  const place = (field: string, message: string): FolderProblem => {
    if (field === 'instructions' || field === 'memory') return problem(`${field}.md`, field, message);
    if (field === 'handle') return problem('', field, message);
    return problem('agent.yaml', field, message, settings.placeOf(field));
  };
  const read = AgentFile.safeParse(settings.value, plainErrors);
  if (!read.success) return { problems: problemsOf(read.error).map(({ field, message }) => place(field, message)) };
  const { name, about: told, owner, ...rest } = read.data;
  const whole = {
    profile: { handle, displayName: name ?? handle, about: told },
    instructions: texts['instructions.md'],
    memory: texts['memory.md'],
    ...rest,
  };
  const identity = Identity.safeParse(whole, plainErrors);
  if (!identity.success) return { problems: problemsOf(identity.error).map(({ field, message }) => place(field, message)) };
  return { identity: identity.data, owner, place };
}
