// Files that somebody keeps for the hub, in folders that are looked at when something in them changes, and every few seconds in case
// nobody said so. One look at a time.

import { type BigIntStats, constants, type FSWatcher, watch } from 'node:fs';
import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderProblem } from '@parley/protocol';
import type { Clock } from '../clock.ts';

const lookEveryMs = 5000;
/** A short wait joins several files that are saved one after the other. */
const quietMs = 300;

export interface WatchParts {
  clock: Clock;
  onError: (error: unknown) => void;
}

interface Seen {
  print: string;
  problems: FolderProblem[];
  /** Nothing in it has to be tried again as long as it does not change. */
  settled: boolean;
}

/** The hub logs it. */
export class FolderProblems extends Error {
  /** One line for each problem. */
  readonly lines: readonly string[];

  constructor(problems: readonly FolderProblem[]) {
    const lines = problems.map(
      ({ file, line, column, field, message }) => `${file}${line === null ? '' : `:${line}:${column}`} ${field}: ${message}`,
    );
    super(lines.join('\n'));
    this.name = 'FolderProblems';
    this.lines = lines;
    // People who read it look for a place in their files, not in ours.
    this.stack = this.message;
  }
}

export abstract class FolderWatch<Parts extends WatchParts> {
  protected readonly parts: Parts;
  /** By name, what was found at the last look. */
  protected readonly seen = new Map<string, Seen>();
  protected stopped = false;
  private readonly watchers = new Map<string, FSWatcher>();
  private cancel: (() => void) | undefined;
  private scanning: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  protected abstract lookAtAll(): Promise<void>;

  /** Looks at all of them now. */
  scan(): Promise<void> {
    this.cancel?.();
    this.scanning ??= this.lookAtAll()
      .catch((error: unknown) => this.parts.onError(error))
      .finally(() => {
        this.scanning = undefined;
        this.later(lookEveryMs);
      });
    return this.scanning;
  }

  private later(ms: number): void {
    this.cancel?.();
    if (!this.stopped) this.cancel = this.parts.clock.after(ms, () => void this.scan());
  }

  /** Told of changes where the system can; the clock finds what it cannot. */
  protected follow(root: string): void {
    if (this.watchers.has(root)) return;
    try {
      const watcher = watch(root, { recursive: true, persistent: false }, () => this.later(quietMs));
      this.watchers.set(root, watcher);
      watcher.on('error', () => this.unfollow(root));
    } catch {
      this.unfollow(root);
    }
  }

  private unfollow(root: string): void {
    this.watchers.get(root)?.close();
    this.watchers.delete(root);
  }

  /** Since the last look nothing has changed, and nothing has to be tried again. */
  protected isSettled(name: string, print: string): boolean {
    const before = this.seen.get(name);
    return before?.print === print && before.settled;
  }

  protected note(name: string, seen: Seen): void {
    const before = this.seen.get(name);
    this.seen.set(name, seen);
    const { problems } = seen;
    if (problems.length > 0 && JSON.stringify(problems) !== JSON.stringify(before?.problems))
      this.parts.onError(new FolderProblems(problems));
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.cancel?.();
    for (const root of this.watchers.keys()) this.unfollow(root);
    await this.scanning;
  }
}

/** Another one after each change of the file. */
export const fingerprint = (about: BigIntStats | undefined): string =>
  about ? `${about.ino}.${about.size}.${about.mtimeNs}.${about.ctimeNs}` : '-';

// The files that a data folder has held. Definitions go with their file, but only where the file was: rows that came from a
// backup, or from another hub, name files that were never here.

const pathIn = (dataDir: string): string => join(dataDir, 'held-files.json');

export class HeldFiles {
  private readonly path: string;
  private held: ReadonlySet<string> | undefined;

  constructor(dataDir: string) {
    this.path = pathIn(dataDir);
  }

  async all(): Promise<ReadonlySet<string>> {
    this.held ??= new Set(
      await readFile(this.path, 'utf8').then(
        (text) => JSON.parse(text) as string[],
        () => [],
      ),
    );
    return this.held;
  }

  async keep(files: Iterable<string>): Promise<void> {
    const before = await this.all();
    const next = new Set([...files].toSorted());
    if (next.size === before.size && [...next].every((file) => before.has(file))) return;
    await writeFile(`${this.path}.new`, JSON.stringify([...next]), { mode: 0o600, flush: true });
    await rename(`${this.path}.new`, this.path);
    this.held = next;
  }
}

/** After a restore the rows say nothing of what was here before. */
export const forgetHeldFiles = (dataDir: string): Promise<void> => rm(pathIn(dataDir), { force: true });

// A file that somebody keeps for the hub, as text. The file is not trusted: no link, no device, nothing without end.

const largest = 200_000;

export class Unreadable extends Error {}

/** `''` for one that may be missing, and is. */
export async function textOf(path: string, optional: boolean): Promise<string> {
  // Not through a link: it could lead out of the folder.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && optional) return undefined;
    if (error.code === 'ENOENT') throw new Unreadable('is missing');
    throw new Unreadable(error.code === 'ELOOP' ? 'must be a file itself, and no link to one' : `cannot be read (${error.code})`);
  });
  if (!file) return '';
  try {
    const about = await file.stat();
    if (!about.isFile()) throw new Unreadable('must be a file');
    if (about.size > largest) throw new Unreadable(`must be at most ${largest} bytes`);
    return new TextDecoder('utf-8', { fatal: true }).decode(await file.readFile());
  } catch (error) {
    if (error instanceof TypeError) throw new Unreadable('is not UTF-8');
    throw error;
  } finally {
    await file.close();
  }
}

type Place = { line: number; column: number };

/** The document of a file of settings, and where its fields stand; or what is wrong with the text. */
export async function readSettings(
  text: string,
): Promise<{ value: unknown; placeOf: (field: string) => Place } | { problems: (Place & { message: string })[] }> {
  // Loaded where there is such a file: a hub without any does not need it.
  const { largestSettings, readText } = await import('@parley/core/yaml');
  const read = readText(text, largestSettings);
  // A file with nothing in it, or nothing but comments, sets nothing.
  if (!read.ok && text.replaceAll(/^\s*#.*$/gm, '').trim() !== '') return read;
  const [document, second] = read.documents;
  if (second) return { problems: [{ ...second.start, message: 'must be one document: take away the line ---' }] };
  const pathOf = (field: string): (string | number)[] => field.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return { value: document?.value ?? {}, placeOf: (field) => document?.placeOf(pathOf(field)) ?? { line: 1, column: 1 } };
}
