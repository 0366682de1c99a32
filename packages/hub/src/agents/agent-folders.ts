// Agents that are folders of files: each is read when something in it changes, and every few seconds in case no change was
// reported. A valid folder becomes the agent's identity; a broken one is reported, and the last valid version stays in
// force.

import { lstat, readdir } from 'node:fs/promises';
import { type AgentFolder, type FolderProblem, foldHandle, ParleyError } from '@parley/protocol';
import type { Clock } from '../clock.ts';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import { folderAgents } from '../store/reads/members.ts';
import { fingerprint, type FolderRead, readFolder } from './read-folder.ts';
import { FolderWatch } from '../watched-files/watched-files.ts';

export interface FolderParts {
  /** `agents/` in the data folder. */
  root: string;
  store: Store;
  engine: Engine;
  clock: Clock;
  onError: (error: unknown) => void;
}

interface Seen {
  print: string;
  problems: FolderProblem[];
  /** Nothing in it has to be tried again as long as it does not change. */
  settled: boolean;
}

/** What is wrong in files, for the hub's log. */
export class FolderProblems extends Error {
  /** One for each. */
  readonly lines: readonly string[];

  constructor(problems: readonly FolderProblem[]) {
    const lines = problems.map(
      ({ file, line, column, field, message }) => `${file}${line === null ? '' : `:${line}:${column}`} ${field}: ${message}`,
    );
    super(lines.join('\n'));
    this.name = 'FolderProblems';
    this.lines = lines;
    // Its readers look for a place in their files, not in ours.
    this.stack = this.message;
  }
}

export class AgentFolders {
  private readonly parts: FolderParts;
  private readonly seen = new Map<string, Seen>();
  private readonly watched: FolderWatch;

  constructor(parts: FolderParts) {
    this.parts = parts;
    this.watched = new FolderWatch({ clock: parts.clock, onError: parts.onError, look: () => this.lookAtAll() });
  }

  async start(): Promise<void> {
    await this.scan();
  }

  /** Those that were found, with what is wrong in them. */
  all(): AgentFolder[] {
    return [...this.seen].map(([handle, { problems }]) => ({ handle, problems })).toSorted((a, b) => (a.handle < b.handle ? -1 : 1));
  }

  problemsOf(handle: string): FolderProblem[] {
    return [...this.seen].find(([name]) => foldHandle(name) === foldHandle(handle))?.[1].problems ?? [];
  }

  /** Looks at all of them now. */
  scan(): Promise<void> {
    return this.watched.scan();
  }

  private async lookAtAll(): Promise<void> {
    const { root, store } = this.parts;
    const about = await lstat(root).catch(() => undefined);
    // A hub that shares a database with the one that has the folders leaves their agents alone.
    if (!about?.isDirectory()) return this.seen.clear();
    this.watched.follow(root);
    const found = (await readdir(root, { withFileTypes: true })).filter((entry) => !entry.isFile() && !entry.name.startsWith('.'));
    for (const name of this.seen.keys()) if (!found.some((entry) => entry.name === name)) this.seen.delete(name);
    for (const { name } of found) if (!this.watched.stopped) await this.lookAt(name);
    if (!(await store.lead())) return;
    const here = new Set(found.map(({ name }) => foldHandle(name)));
    const kept = await folderAgents(store);
    for (const { id, handle_fold } of kept)
      if (!here.has(handle_fold)) await this.parts.engine.submit({ type: 'identity.release', by: platform, agentId: id });
  }

  private async lookAt(handle: string): Promise<void> {
    const folder = { root: this.parts.root, handle };
    const print = await fingerprint(folder);
    const before = this.seen.get(handle);
    if (before?.print === print && before.settled) return;
    const read = await readFolder(folder);
    const problems = 'problems' in read ? read.problems : await this.load(read);
    // What the files say is wrong until they change; what the workspace says may come right by itself.
    this.seen.set(handle, { print, problems, settled: 'problems' in read || problems.length === 0 });
    if (problems.length > 0 && JSON.stringify(problems) !== JSON.stringify(before?.problems))
      this.parts.onError(new FolderProblems(problems));
  }

  private async load({ identity, owner, place }: FolderRead): Promise<FolderProblem[]> {
    try {
      await this.parts.engine.submit({ type: 'identity.load', by: platform, identity, owner });
      return [];
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      if (error.problems.length === 0) return [place('handle', error.message)];
      return error.problems.map(({ field, message }) => place(field, message));
    }
  }

  async stop(): Promise<void> {
    await this.watched.stop();
  }
}
