// Triggers, manifests, schedules and monitors in files (PRV-4): each file is in force whole or not at all. With anything
// wrong in it, its last valid version stays in force, and the problems are reported with line, column and field.

import type { Dirent } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type FolderProblem, ParleyError, type Problem, type ProvokeFile } from '@parley/protocol';
import { textOf, Unreadable, HeldFiles, FolderWatch, fingerprint, type WatchParts } from '../watched-files/watched-files.ts';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Store } from '../store/port.ts';
import { Answers } from '../regex/answers.ts';
import { provokeFiles } from '../store/reads/provoke.ts';
import { partsOf, type ProvokeLoader } from './compiled-definitions.ts';

export interface ProvokeFileParts extends WatchParts {
  dataDir: string;
  roots: readonly { name: string; path: string }[];
  store: Store;
  engine: Engine;
  provoke: ProvokeLoader;
}

/** A file that says something else than before, or is gone. */
interface Reading {
  file: string;
  objects: ReturnType<typeof partsOf>;
  /** The outcome for each file: problems in its objects, or why nothing could be taken. */
  note: (refused: readonly Problem[] | ParleyError) => void;
}

/** `held`: the file was here at an earlier look, so that what it says no more is gone. */
type HeldReading = Reading & { held: boolean };

const goneFile = ({ file }: { file: string }): Reading => ({ file, objects: [], note: () => {} });

type Found = Omit<FolderProblem, 'file'>;
const ofAll = ({ message }: { message: string }): Found => ({ line: null, column: null, field: '(file)', message });
const isFine = (refused: readonly Problem[] | ParleyError): boolean => !(refused instanceof Error) && refused.length === 0;

export const isRead = (name: string): boolean => /^[^.].*\.(?:ya?ml|json)$/i.test(name);
/** Hidden files, notes, copies, and files that somebody has put aside on purpose. */
const isAside = (name: string): boolean => /^\.|\.(?:md|bak|old|orig|tmp|swp|off|disabled|example|sample)\d*$/i.test(name);
/** A README and the files that editors leave have no ending: `disk.yaml~`, `#disk.yaml#`, `4913`. */
const hasEnding = (name: string): boolean => /\.[a-z]+\d*$/i.test(name);
const below = 'not looked into: files stand beside it, and not in a folder below';

/** Why a file that may have been meant is passed over. Undefined: the file is read, or was not meant. */
async function whyPassedOver(entry: Dirent, path: string): Promise<string | undefined> {
  const { name } = entry;
  if (isAside(name)) return undefined;
  if (entry.isDirectory()) return `is ${below}`;
  if (isRead(name)) return undefined;
  if (entry.isSymbolicLink() && (await isFolder(path))) return `is a link to a folder, and ${below}`;
  return hasEnding(name) ? 'is not read: the name must end in .yaml, .yml or .json' : undefined;
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

export class ProvokeFiles extends FolderWatch<ProvokeFileParts> {
  private readonly held = new HeldFiles(this.parts.dataDir);

  /** The files that were found, with their problems. */
  all(): Pick<ProvokeFile, 'file' | 'problems'>[] {
    return [...this.seen].map(([file, { problems }]) => ({ file, problems })).toSorted((a, b) => (a.file < b.file ? -1 : 1));
  }

  protected async lookAtAll(): Promise<void> {
    const here = new Map<string, string>();
    const folders: string[] = [];
    const wrongFiles = new Map<string, string>();
    for (const { name, path } of this.parts.roots) {
      // Anyone who may put a link here may put the files here. A hub that shares a database with the one that has the files
      // leaves their objects alone.
      if (!(await isFolder(path))) {
        if (await lstat(path).catch(() => undefined)) wrongFiles.set(name, 'must be a folder, or a link to one');
        continue;
      }
      this.follow(path);
      folders.push(name);
      for (const entry of await readdir(path, { withFileTypes: true })) {
        const file = `${name}/${entry.name}`;
        const at = join(path, entry.name);
        const why = await whyPassedOver(entry, at);
        if (why !== undefined) wrongFiles.set(file, why);
        else if (isRead(entry.name)) here.set(file, at);
      }
    }
    const heldFolders = await this.held.all();
    // Of several hubs on one database only one puts its files in force, or each would remove the objects of another's
    // files.
    if (folders.length + wrongFiles.size > 0 && !(await this.parts.store.lead())) {
      await this.held.keep([...heldFolders, ...here.keys()]);
      return this.seen.clear();
    }
    for (const file of this.seen.keys()) if (!here.has(file) && !wrongFiles.has(file)) this.seen.delete(file);
    for (const [name, message] of wrongFiles) this.noteFound(name, '', [ofAll({ message })], false);
    const storedFiles = folders.length > 0 ? await provokeFiles(this.parts.store) : [];
    const readings = storedFiles.filter(({ file }) => !here.has(file) && folders.some((name) => file.startsWith(`${name}/`))).map(goneFile);
    for (const [file, path] of [...here].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      if (this.stopped) return;
      const reading = await this.read(file, path);
      if (reading) readings.push(reading);
    }
    await this.take(readings.map((one) => ({ ...one, held: heldFolders.has(one.file) })));
    // Files that are gone stay listed until none of their objects is left.
    await this.held.keep([...here.keys(), ...storedFiles.map(({ file }) => file).filter((file) => heldFolders.has(file))]);
  }

  /** Undefined: there is nothing to take from it, for now. */
  private async read(file: string, path: string): Promise<Reading | undefined> {
    const about = await lstat(path, { bigint: true }).catch(() => undefined);
    if (!about) return undefined;
    const print = fingerprint(about);
    if (this.isSettled(file, print)) return undefined;
    const note = (found: readonly Found[], settled: boolean): void => this.noteFound(file, print, found, settled);
    let text: string;
    try {
      text = await textOf(path, false);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      note([ofAll(error)], true);
      return undefined;
    }
    const { provoke } = this.parts;
    const { core } = await provoke.load();
    const loaded = await new Answers('').complete(provoke.matcher, (patterns) => core.loadFile(text, patterns));
    if (!loaded.ok) {
      note(loaded.problems, true);
      return undefined;
    }
    const objects = partsOf(loaded);
    const place = ({ field: at, message }: Problem) => {
      const [index, ...rest] = at.split('.');
      const { kind, body } = objects[Number(index)]!;
      const part = kind === 'manifest' ? 'agent' : kind;
      return { ...loaded.placeOf(part, body.id, rest.join('.')), field: `${part}.${rest.join('.')}`, message };
    };
    // A problem of the file lasts until it changes; a problem of the workspace may come right by itself.
    return {
      file,
      objects,
      note: (refused) => note(refused instanceof Error ? [ofAll(refused)] : refused.map(place), isFine(refused)),
    };
  }

  private noteFound(file: string, print: string, found: readonly Found[], settled: boolean): void {
    this.note(file, { print, problems: found.map((problem) => ({ file, ...problem })), settled });
  }

  /** All of them together: ids may move between them. */
  private async take(readings: readonly HeldReading[]): Promise<void> {
    if (readings.length === 0 || this.stopped) return;
    const files = readings.map(({ file, objects, held }) => ({ file, objects, held }));
    try {
      const { refused } = await this.parts.engine.submit({ type: 'provoke.load', by: platform, files });
      for (const { file, note } of readings) note(refused.find((one) => one.file === file)?.problems ?? []);
    } catch (error) {
      // A file that is refused is retried at the next check; the others must not wait for it.
      if (readings.length > 1) for (const one of readings) await this.take([one]);
      else if (error instanceof ParleyError && readings[0]!.objects.length > 0) readings[0]!.note(error);
      else this.parts.onError(error);
    }
  }
}
