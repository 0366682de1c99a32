// Triggers, manifests, schedules and monitors in files (PRV-4): each file is in force whole or not at all. With anything
// wrong in it, what it said before stays in force, and what is wrong is told with line, column and field.

import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderProblem, ParleyError, type ProvokeFile } from '@parley/protocol';
import { FolderProblems } from '../agents/folders.ts';
import { textOf, Unreadable } from '../agents/read-file.ts';
import { Watched } from '../agents/watched.ts';
import type { Clock } from '../clock.ts';
import { operator } from '../engine/command.ts';
import type { Engine } from '../engine/group.ts';
import type { Store } from '../store/port.ts';
import { partsOf, type ProvokeLoader } from './library.ts';

export interface ProvokeFileParts {
  roots: readonly { name: string; path: string }[];
  store: Store;
  engine: Engine;
  clock: Clock;
  provoke: ProvokeLoader;
  onError: (error: unknown) => void;
}

interface Seen {
  print: string;
  problems: FolderProblem[];
  /** Nothing in it has to be tried again as long as it does not change. */
  settled: boolean;
}

export class ProvokeFiles {
  private readonly parts: ProvokeFileParts;
  private readonly seen = new Map<string, Seen>();
  private readonly watched: Watched;

  constructor(parts: ProvokeFileParts) {
    this.parts = parts;
    this.watched = new Watched({ clock: parts.clock, onError: parts.onError, look: () => this.lookAtAll() });
  }

  /** Those that were found, with what is wrong in them. */
  all(): Pick<ProvokeFile, 'file' | 'problems'>[] {
    return [...this.seen].map(([file, { problems }]) => ({ file, problems })).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  }

  /** Looks at all of them now. */
  scan(): Promise<void> {
    return this.watched.scan();
  }

  private async lookAtAll(): Promise<void> {
    const here = new Map<string, string>();
    const folders: string[] = [];
    for (const { name, path } of this.parts.roots) {
      const about = await lstat(path).catch(() => undefined);
      // A hub that shares a database with the one that has the files leaves what they say alone.
      if (!about?.isDirectory()) continue;
      this.watched.follow(path);
      folders.push(name);
      for (const entry of await readdir(path, { withFileTypes: true }))
        if (/^[^.].*\.(?:ya?ml|json)$/.test(entry.name) && !entry.isDirectory()) here.set(`${name}/${entry.name}`, join(path, entry.name));
    }
    for (const file of this.seen.keys()) if (!here.has(file)) this.seen.delete(file);
    // Gone first: what moved from one file to another is free by then.
    if (folders.length > 0 && (await this.parts.store.lead())) await this.takeAway(folders, here);
    for (const [file, path] of [...here].toSorted(([a], [b]) => (a < b ? -1 : 1))) if (!this.watched.stopped) await this.lookAt(file, path);
  }

  private async takeAway(folders: readonly string[], here: ReadonlyMap<string, string>): Promise<void> {
    const { store, engine, onError } = this.parts;
    const kept = await store.all<{ file: string }>(
      'select distinct file from provoke_objects where file is not null and removed_at is null',
    );
    for (const { file } of kept) {
      if (here.has(file) || !folders.some((name) => file.startsWith(`${name}/`))) continue;
      // One that stays for now is tried again with the next look; the others are not to wait for it.
      await engine.submit({ type: 'provoke.load', by: operator, file, objects: [] }).catch(onError);
    }
  }

  private async lookAt(file: string, path: string): Promise<void> {
    const about = await lstat(path, { bigint: true }).catch(() => undefined);
    if (!about) return;
    const print = `${about.ino}.${about.size}.${about.mtimeNs}.${about.ctimeNs}`;
    const before = this.seen.get(file);
    if (before?.print === print && before.settled) return;
    const { problems, settled } = await this.load(file, path);
    this.seen.set(file, { print, problems, settled });
    if (problems.length > 0 && JSON.stringify(problems) !== JSON.stringify(before?.problems))
      this.parts.onError(new FolderProblems(problems));
  }

  /** What the file says is wrong until it changes; what the workspace says may come right by itself. */
  private async load(file: string, path: string): Promise<{ problems: FolderProblem[]; settled: boolean }> {
    let text: string;
    try {
      text = await textOf(path, false);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      return { problems: [{ file, line: null, column: null, field: '(file)', message: error.message }], settled: true };
    }
    const { core } = await this.parts.provoke.load();
    const loaded = core.loadFile(text);
    if (!loaded.ok) return { problems: loaded.problems.map((problem) => ({ file, ...problem })), settled: true };
    const objects = partsOf(loaded);
    try {
      await this.parts.engine.submit({ type: 'provoke.load', by: operator, file, objects });
      return { problems: [], settled: true };
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      if (error.problems.length === 0)
        return { problems: [{ file, line: null, column: null, field: '(file)', message: error.message }], settled: false };
      const problems = error.problems.map(({ field: at, message }) => {
        const [index, ...rest] = at.split('.');
        const { kind, body } = objects[Number(index)]!;
        const part = kind === 'manifest' ? 'agent' : kind;
        return { file, ...loaded.placeOf(part, body.id, rest.join('.')), field: `${part}.${rest.join('.')}`, message };
      });
      return { problems, settled: false };
    }
  }

  async stop(): Promise<void> {
    await this.watched.stop();
  }
}
