// Attachments' bytes: files named by their content, beside the database. The same content is kept once, and a file
// can be checked against its own name.

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { ParleyError } from '@parley/protocol';
import { type Reader, StorageFullError } from './port.ts';

export class Blobs {
  private readonly root: string;
  /** Content that is being uploaded and not yet known to the database: it must not be erased under the uploader. */
  private readonly held = new Map<string, number>();
  private readonly erasing = new Map<string, Promise<void>>();

  constructor(root: string) {
    this.root = root;
  }

  private path(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('Not a content hash');
    return join(this.root, sha256.slice(0, 2), sha256);
  }

  /** Takes a stream in, synced to disk under its hash before this resolves. Call `release` once the database knows it. */
  async put(
    source: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<{ sha256: string; size: number; head: Uint8Array; release: () => void }> {
    await mkdir(this.root, { recursive: true, mode: 0o700 });
    const temporary = join(this.root, `incoming-${randomUUID()}`);
    const file = await open(temporary, 'wx', 0o600).catch(asFull);
    let release = (): void => {};
    try {
      const hash = createHash('sha256');
      let size = 0;
      let head = new Uint8Array();
      for await (const chunk of source) {
        size += chunk.length;
        if (size > maxBytes) throw new ParleyError('too_large', `An attachment is at most ${maxBytes} bytes.`);
        if (head.length < 16) head = Buffer.concat([head, chunk.subarray(0, 16)]);
        hash.update(chunk);
        // A disk that is nearly full takes part of it without complaint.
        for (let done = 0; done < chunk.length;) done += (await file.write(chunk, done)).bytesWritten;
      }
      await file.sync();
      await file.close();
      const sha256 = hash.digest('hex');
      release = this.hold(sha256);
      await this.erasing.get(sha256);
      await mkdir(dirname(this.path(sha256)), { recursive: true });
      await rename(temporary, this.path(sha256));
      await syncFolder(dirname(this.path(sha256)));
      return { sha256, size, head, release };
    } catch (error) {
      await file.close().catch(() => {});
      await rm(temporary, { force: true });
      release();
      return asFull(error);
    }
  }

  async has(sha256: string): Promise<boolean> {
    return stat(this.path(sha256)).then(
      () => true,
      () => false,
    );
  }

  read(sha256: string): Readable {
    return createReadStream(this.path(sha256));
  }

  /** Parts of it, by their place; fewer bytes where it ends. */
  async readParts<T>(sha256: string, work: (read: (at: number, length: number) => Promise<Uint8Array>) => Promise<T>): Promise<T> {
    const file = await open(this.path(sha256));
    try {
      return await work(async (at, length) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
        return buffer.subarray(0, bytesRead);
      });
    } finally {
      await file.close();
    }
  }

  private hold(sha256: string): () => void {
    this.held.set(sha256, (this.held.get(sha256) ?? 0) + 1);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const holderCount = this.held.get(sha256)! - 1;
      if (holderCount === 0) this.held.delete(sha256);
      else this.held.set(sha256, holderCount);
    };
  }

  /** Erases the file unless `wanted` says that something refers to it. Throws while it is being uploaded again. */
  async erase(sha256: string, wanted: () => Promise<boolean>): Promise<void> {
    if (this.held.has(sha256)) throw new Error('The same content is being uploaded');
    const erase = (async () => {
      if (!(await wanted())) await rm(this.path(sha256), { force: true });
    })();
    this.erasing.set(
      sha256,
      erase.catch(() => {}),
    );
    try {
      await erase;
    } finally {
      this.erasing.delete(sha256);
    }
  }

  /** Erases the file unless an attachment has it. */
  eraseUnused(sha256: string, store: Reader): Promise<void> {
    const users = 'select 1 from attachments where sha256 = ? and erased_at is null limit 1';
    return this.erase(sha256, async () => (await store.all(users, [sha256])).length > 0);
  }

  async list(): Promise<string[]> {
    const folders = await readdir(this.root).catch(() => []);
    const names = await Promise.all(folders.filter((name) => name.length === 2).map((name) => readdir(join(this.root, name))));
    return names.flat().sort();
  }

  /** Whether the content still has its hash. */
  async intact(sha256: string): Promise<boolean> {
    const hash = createHash('sha256');
    try {
      for await (const chunk of this.read(sha256)) hash.update(chunk as Uint8Array);
    } catch {
      return false;
    }
    return hash.digest('hex') === sha256;
  }
}

function asFull(error: unknown): never {
  const { code } = error as NodeJS.ErrnoException;
  throw code === 'ENOSPC' || code === 'EDQUOT' ? new StorageFullError(error) : error;
}

/** A rename is only safe once the folder that holds the name is. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } catch {
    // Windows cannot sync a folder, and does not need to.
  } finally {
    await folder.close();
  }
}
