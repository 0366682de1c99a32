// Reads a backup and believes none of it: the file's hash first, then every row's checksum, the chain of facts, every
// attachment's hash and the counts. A reader that gets to the end without an error has read exactly what was saved.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, createGunzip, gunzipSync } from 'node:zlib';
import { backupKeyFile } from '../data-dir.ts';
import { CanceledError } from '../progress.ts';
import { schemaVersion } from '../store/migrations.ts';
import type { AnyRow, TableName } from '../store/tables.ts';
import { RowChecker } from './check.ts';
import {
  BackupError,
  type Footer,
  formatVersion,
  type Header,
  isSignature,
  type BackupLine,
  seal,
  sealLength,
  type Signature,
  signature,
  signatureLength,
} from './format.ts';
import { type Upgrade, upgraderFrom } from './upgrades.ts';

export type Entry =
  | { type: 'row'; table: TableName; row: AnyRow }
  | { type: 'blob'; sha256: string; content: AsyncIterable<Uint8Array> }
  | { type: 'peer'; memberId: string; text: string }
  | { type: 'file'; name: string; text: string };

/** An attachment that was already missing or broken when the backup was made. */
export class LostBlobError extends Error {}

/** Reports how much of the file has been read. */
type OnBytes = (done: number, total: number) => void;

export interface Backup {
  header: Header;
  signature: Signature;
  isKeyHere: boolean;
  /** Rows, upgraded to the schema of today, then attachments; throws at the first thing that is not right. Returns the footer. */
  entries(onBytes?: OnBytes): AsyncGenerator<Entry, Footer>;
}

const damaged = (path: string, what: string, cause?: unknown): BackupError =>
  new BackupError('damaged', `${path} is damaged: ${what}. Nothing was restored from it.`, { cause });

const newerError = (path: string, what: string): BackupError =>
  new BackupError('newer', `${path} was made by a newer Parley (${what}). Restore it with that version.`);

/** Proves that the file is whole before anything is made of it. The data folder may hold the key that signed it. */
export async function openBackup(path: string, dataDir?: string, list?: readonly Upgrade[]): Promise<Backup> {
  const text = dataDir && (await readFile(join(dataDir, backupKeyFile), 'utf8').catch(() => undefined));
  const key = text ? Buffer.from(text.trim(), 'hex') : undefined;
  const whole = await sizeOf(path);
  const last = await bytesOf(path, Math.max(0, whole - signatureLength), whole);
  const isSigned = isSignature(last);
  // From here on, the size excludes the signature.
  const size = isSigned ? whole - signatureLength : whole;
  const header = await readHeader(path, size);
  if (header.version > formatVersion) throw newerError(path, `format ${header.version}; this one knows ${formatVersion}`);
  await checkSeal(path, size);
  if (header.schema > schemaVersion) throw newerError(path, `schema ${header.schema}; this one knows ${schemaVersion}`);
  const signature = isSigned ? await checkSignature(path, size, last, key) : 'unsigned';
  return { header, signature, isKeyHere: key !== undefined, entries: (onBytes) => entries({ path, size, header, list, onBytes }) };
}

/** If the key is here the signature must match: a removed signature must not pass for an old backup. */
export function refuseForeign({ isKeyHere, signature }: Backup, path: string, dataDir: string): void {
  if (isKeyHere && signature !== 'verified')
    throw new BackupError(
      'damaged',
      `${path} is not signed with the backup.key in ${dataDir}. If you trust it all the same, restore it with --unsigned.`,
    );
}

async function checkSignature(path: string, size: number, found: Buffer, key: Uint8Array | undefined): Promise<Signature> {
  if (key === undefined) return 'unchecked';
  const expected = signature(key, await bytesOf(path, size - sealLength, size));
  if (found.equals(expected)) return 'verified';
  const keyOf = (bytes: Buffer): string => bytes.subarray(-42).toString('latin1');
  if (keyOf(found).slice(0, 30) !== keyOf(expected).slice(0, 30)) return 'unchecked';
  throw new BackupError('damaged', `${path} was changed after it was signed. Nothing was restored from it.`);
}

async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new BackupError('nothing_there', `There is no file ${path}.`) : error;
  });
  if (!found.isFile()) throw new BackupError('not_a_backup', `${path} is not a file.`);
  return found.size;
}

/** Reads only the first bytes, so that damage further on does not hide what the file is. */
async function readHeader(path: string, size: number): Promise<Header> {
  for (const length of [512, 4096, 65_536]) {
    const first = await bytesOf(path, 0, Math.min(length, size));
    try {
      const text = gunzipSync(first, { finishFlush: constants.Z_SYNC_FLUSH }).toString('utf8');
      if (!text.includes('\n')) continue;
      const header = JSON.parse(text.slice(0, text.indexOf('\n'))) as Partial<Header>;
      if (header.parley === 'backup' && Number.isInteger(header.version) && Number.isInteger(header.schema)) return header as Header;
    } catch {
      // The file is not gzip, not JSON, or damaged right here; its end may still tell.
    }
  }
  if (isSeal(await bytesOf(path, Math.max(0, size - sealLength), size))) throw damaged(path, 'its beginning cannot be read');
  throw new BackupError('not_a_backup', `${path} is not a Parley backup.`);
}

async function bytesOf(path: string, start: number, end: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  if (end > start) for await (const chunk of createReadStream(path, { start, end: end - 1 })) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const isSeal = (bytes: Buffer): boolean => bytes.subarray(15).toString('latin1').startsWith('{"sha256":"');

async function checkSeal(path: string, size: number): Promise<void> {
  if (size <= sealLength) throw damaged(path, 'its end is missing');
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { end: size - sealLength - 1 })) hash.update(chunk as Buffer);
  const found = await bytesOf(path, size - sealLength, size);
  if (found.equals(seal(hash.digest('hex')))) return;
  throw damaged(path, isSeal(found) ? 'its bytes are not those that were written' : 'its end is missing, as if the copy was cut short');
}

async function* linesOf(path: string, size: number, onBytes?: OnBytes): AsyncGenerator<BackupLine> {
  const packed = createReadStream(path, { end: Math.max(0, size - sealLength - 1) });
  const unpacked = createGunzip();
  packed.on('error', (error) => unpacked.destroy(error));
  const text = packed.pipe(unpacked).setEncoding('utf8') as AsyncIterable<string>;
  let rest = '';
  try {
    for await (const piece of text) {
      onBytes?.(packed.bytesRead, size);
      const lines = (rest + piece).split('\n');
      rest = lines.pop()!;
      for (const line of lines) yield JSON.parse(line) as BackupLine;
    }
    if (rest !== '') throw new Error('The last line is not ended');
  } finally {
    packed.destroy();
  }
}

interface Reading {
  path: string;
  size: number;
  header: Header;
  list: readonly Upgrade[] | undefined;
  onBytes: OnBytes | undefined;
}

async function* entries({ path, size, header, list, onBytes }: Reading): AsyncGenerator<Entry, Footer> {
  const upgrader = upgraderFrom(header.schema, Buffer.from(header.checksumKey, 'hex'), list);
  const checker = new RowChecker(upgrader.sumThen);
  const lines = linesOf(path, size, onBytes);
  let [blobs, peers] = [0, 0];
  const files: string[] = [];
  try {
    await lines.next();
    for await (const line of lines) {
      if ('t' in line) {
        const [problem] = checker.check(line.t, line.r);
        if (problem) throw damaged(path, `${problem.where} ${problem.what}`);
        const now = upgrader.upgrade(line.t, line.r);
        if (now) yield { type: 'row', ...now };
      } else if ('b' in line) {
        const blob = new BlobLines(path, line, lines);
        yield { type: 'blob', sha256: line.b, content: blob.content };
        // Whatever the reader left is read here: the hash is checked either way.
        if (await blob.wasWhole()) blobs++;
      } else if ('p' in line) {
        yield { type: 'peer', memberId: line.p, text: line.d };
        peers++;
      } else if ('f' in line) {
        yield { type: 'file', name: line.f, text: line.d };
        files.push(line.f);
      } else {
        const { end } = line;
        const counts = {
          rows: Object.entries(end.rows).every(([table, count]) => (checker.counts[table] ?? 0) === count),
          head: checker.head === end.head,
          blobs: blobs === end.blobs,
          peers: peers === (end.peers ?? 0),
          files: files.join('\n') === (end.files ?? []).join('\n'),
        };
        const mismatches = Object.entries(counts)
          .filter(([, same]) => !same)
          .map(([what]) => what);
        if (mismatches.length > 0 || !(await lines.next()).done)
          throw damaged(path, `it does not hold what its end says (${mismatches.join(', ')})`);
        return end;
      }
    }
  } catch (error) {
    if (error instanceof BackupError || error instanceof CanceledError || (error as NodeJS.ErrnoException).syscall !== undefined)
      throw error;
    throw damaged(path, (error as Error).message, error);
  }
  throw damaged(path, 'its end is missing');
}

/** One attachment; its lines are read from the file on demand. */
class BlobLines {
  readonly content: AsyncGenerator<Uint8Array>;
  private whole = false;

  constructor(path: string, first: Extract<BackupLine, { b: string }>, lines: AsyncGenerator<BackupLine>) {
    this.content = this.read(path, first, lines);
  }

  private async *read(
    path: string,
    first: Extract<BackupLine, { b: string }>,
    lines: AsyncGenerator<BackupLine>,
  ): AsyncGenerator<Uint8Array> {
    const hash = createHash('sha256');
    let line: BackupLine | undefined = first;
    while (line && 'b' in line && line.b === first.b) {
      if ('lost' in line) throw new LostBlobError(`${first.b} was not saved`);
      if ('size' in line) {
        if (hash.digest('hex') !== first.b) throw damaged(path, `attachment ${first.b} does not match its hash`);
        this.whole = true;
        return;
      }
      const bytes = Buffer.from(line.d, 'base64');
      hash.update(bytes);
      yield bytes;
      const next: IteratorResult<BackupLine, unknown> = await lines.next();
      line = next.done ? undefined : next.value;
    }
    throw damaged(path, `attachment ${first.b} is cut short`);
  }

  async wasWhole(): Promise<boolean> {
    try {
      while (!(await this.content.next()).done);
    } catch (error) {
      if (!(error instanceof LostBlobError)) throw error;
    }
    return this.whole;
  }
}
