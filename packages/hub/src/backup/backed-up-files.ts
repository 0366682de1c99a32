// Files that people keep for the hub, in a backup: without them the hub would have their objects, and nothing to edit them in.

import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BackupError } from './format.ts';
import { agentFiles } from '../agents/read-folder.ts';
import { isRead } from '../provoke/provoke-files.ts';
import { textOf, Unreadable } from '../watched-files/watched-files.ts';
import { MemberId } from '@parley/protocol';

export interface BackedUpFile {
  /** Below the data folder. */
  name: string;
  text: string;
}

const toolsFile = 'tools.yaml';
const isPlain = (part: string | undefined): part is string => part !== undefined && /^[^./\\\p{Cc}][^/\\\p{Cc}]*$/u.test(part);

/** Whether the hub would read this file in its folder. */
function isOurs(name: string): boolean {
  const [folder, file, inside, ...more] = name.split('/');
  if (more.length > 0) return false;
  if (folder === 'agents') return isPlain(file) && agentFiles.some((known) => known === inside);
  if (folder === 'triggers' || folder === 'manifests') return isPlain(file) && isRead(file) && inside === undefined;
  return name === toolsFile;
}

/** Files that the hub cannot read are not in force, so they are left out. */
export async function* filesToBackUp(dataDir: string): AsyncGenerator<BackedUpFile> {
  const within = async (folder: string) => (await readdir(join(dataDir, folder)).catch(() => [])).map((name) => `${folder}/${name}`);
  const agents = (await within('agents')).flatMap((folder) => agentFiles.map((name) => `${folder}/${name}`));
  for (const name of [
    ...agents.toSorted(),
    toolsFile,
    ...(await within('triggers')).toSorted(),
    ...(await within('manifests')).toSorted(),
  ]) {
    if (!isOurs(name)) continue;
    try {
      yield { name, text: await textOf(join(dataDir, name), false) };
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }
}

/** Files on their way into a data folder. */
export class RestoredFiles {
  private readonly dataDir: string;
  private readonly trusted: boolean;
  private readonly files: BackedUpFile[] = [];
  private readonly written: string[] = [];
  /** Files that were not restored in place: another file is there, or nobody knows which programs they would start. */
  readonly aside: string[] = [];

  /** `trusted`: the key of this folder has signed them. */
  constructor(dataDir: string, trusted: boolean) {
    this.dataDir = dataDir;
    this.trusted = trusted;
  }

  add(file: BackedUpFile): void {
    if (!isOurs(file.name))
      throw new BackupError(
        'damaged',
        `The backup names ${JSON.stringify(file.name)}, which is no file of a hub. Nothing was restored from it.`,
      );
    this.files.push(file);
  }

  async write(): Promise<void> {
    for (const { name, text } of this.files) {
      const isHere = (await readFile(join(this.dataDir, name), 'utf8').catch(() => undefined)) === text;
      if (isHere) continue;
      const startsPrograms = name === toolsFile && !this.trusted;
      if (!(await this.place(startsPrograms ? `${name}.restored` : name, text)) || startsPrograms) this.aside.push(name);
    }
  }

  /** False: there is something of that name. */
  private async place(name: string, text: string): Promise<boolean> {
    const path = join(this.dataDir, name);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    try {
      await writeFile(path, text, { mode: 0o600, flag: 'wx', flush: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
    this.written.push(path);
    return true;
  }

  async takeBack(): Promise<void> {
    for (const path of this.written) await rm(path, { force: true });
  }
}

// Peers that a restore has put back: their backups wait in the data folder until the service of the peers has taken them.

export const restoredFolder = 'restored-peers';

/** Works without peers too: the next start finds the folder and makes it the home of future peers. */
export const makeRestoredFolder = async (dataDir: string): Promise<void> => {
  await mkdir(join(dataDir, restoredFolder), { recursive: true, mode: 0o700 });
};

export async function keepRestoredPeer(dataDir: string, memberId: string, text: string): Promise<void> {
  if (!MemberId.safeParse(memberId).success) throw new Error(`${JSON.stringify(memberId)} is no member`);
  await makeRestoredFolder(dataDir);
  await writeFile(join(dataDir, restoredFolder, memberId), text, { mode: 0o600 });
}

/** Each is removed once it was taken. Returns those that could not be: they stay for the next start. */
export async function takeRestoredPeers(dataDir: string, take: (memberId: string, text: string) => Promise<void>): Promise<string[]> {
  const folder = join(dataDir, restoredFolder);
  const left: string[] = [];
  for (const memberId of await readdir(folder).catch(() => [])) {
    try {
      await take(memberId, await readFile(join(folder, memberId), 'utf8'));
      await rm(join(folder, memberId));
    } catch {
      left.push(memberId);
    }
  }
  if (left.length === 0) await rm(folder, { recursive: true, force: true });
  return left;
}

export const forgetRestoredPeers = (dataDir: string): Promise<void> => rm(join(dataDir, restoredFolder), { recursive: true, force: true });
