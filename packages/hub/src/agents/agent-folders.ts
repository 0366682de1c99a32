// Agents that are folders of files: each is read when something in it changes, and every few seconds in case no change was
// reported. A valid folder becomes the agent's identity; a broken one is reported, and the last valid version stays in
// force.

import { lstat, readdir } from 'node:fs/promises';
import { type AgentFolder, type FolderProblem, foldHandle, ParleyError } from '@parley/protocol';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import { folderAgents } from '../store/reads/members.ts';
import { folderPrint, type FolderRead, readFolder } from './read-folder.ts';
import { FolderWatch, type WatchParts } from '../watched-files/watched-files.ts';

export interface FolderParts extends WatchParts {
  /** `agents/` in the data folder. */
  root: string;
  store: Store;
  engine: Engine;
}

export class AgentFolders extends FolderWatch<FolderParts> {
  /** All folders, with their problems. */
  all(): AgentFolder[] {
    return [...this.seen].map(([handle, { problems }]) => ({ handle, problems })).toSorted((a, b) => (a.handle < b.handle ? -1 : 1));
  }

  problemsOf(handle: string): FolderProblem[] {
    return [...this.seen].find(([name]) => foldHandle(name) === foldHandle(handle))?.[1].problems ?? [];
  }

  protected async lookAtAll(): Promise<void> {
    const { root, store } = this.parts;
    const about = await lstat(root).catch(() => undefined);
    // A hub that shares a database with the one that has the folders leaves their agents alone.
    if (!about?.isDirectory()) return this.seen.clear();
    this.follow(root);
    const found = (await readdir(root, { withFileTypes: true })).filter((entry) => !entry.isFile() && !entry.name.startsWith('.'));
    for (const name of this.seen.keys()) if (!found.some((entry) => entry.name === name)) this.seen.delete(name);
    for (const { name } of found) if (!this.stopped) await this.lookAt(name);
    if (!(await store.lead())) return;
    const here = new Set(found.map(({ name }) => foldHandle(name)));
    const storedAgents = await folderAgents(store);
    for (const { id, handle_fold } of storedAgents)
      if (!here.has(handle_fold)) await this.parts.engine.submit({ type: 'identity.release', by: platform, agentId: id });
  }

  private async lookAt(handle: string): Promise<void> {
    const folder = { root: this.parts.root, handle };
    const print = await folderPrint(folder);
    if (this.isSettled(handle, print)) return;
    const read = await readFolder(folder);
    const problems = 'problems' in read ? read.problems : await this.load(read);
    // Problems of the files stay until the files change; problems of the workspace may disappear without a change.
    this.note(handle, { print, problems, settled: 'problems' in read || problems.length === 0 });
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
}
