// Snapshots of the registry, so that its log does not grow for ever. A snapshot is complete once its head is stored.

import type { Nats } from './connection.ts';
import type { TableRow } from './replica.ts';

/** NATS takes messages up to 1 MiB by default. */
const partChars = 256 * 1024;
const mostTries = 5;

interface Head {
  at: number;
  parts: number;
}

export async function writeSnapshot({ js, manager, names: { snapshots } }: Nats, at: number, rows: readonly TableRow[]): Promise<void> {
  const earlier = await manager.streams.getMessage(snapshots.stream, { last_by_subj: snapshots.head });
  const parts = inParts(rows.map((row) => JSON.stringify(row, asText)));
  for (const [index, part] of parts.entries()) await js.publish(snapshots.part(at, index), part);
  await js.publish(snapshots.head, JSON.stringify({ at, parts: parts.length } satisfies Head));
  const former = earlier?.json<Head>().at;
  if (former !== undefined && former !== at) await manager.streams.purge(snapshots.stream, { filter: snapshots.of(former) });
}

export async function readSnapshot(nats: Nats): Promise<{ at: number; rows: TableRow[] }> {
  const { manager, names } = nats;
  for (let tries = 0; tries < mostTries; tries += 1) {
    const head = await manager.streams.getMessage(names.snapshots.stream, { last_by_subj: names.snapshots.head });
    if (!head) return { at: 0, rows: [] };
    const { at, parts } = head.json<Head>();
    const rows = await readParts(nats, at, parts);
    if (rows) return { at, rows };
  }
  throw new Error(`The latest snapshot in ${names.snapshots.stream} is not complete.`);
}

/** Undefined if a part is missing, because another process has written a newer snapshot meanwhile. */
async function readParts({ manager, names: { snapshots } }: Nats, at: number, parts: number): Promise<TableRow[] | undefined> {
  const rows: TableRow[] = [];
  for (let index = 0; index < parts; index += 1) {
    const part = await manager.streams.getMessage(snapshots.stream, { last_by_subj: snapshots.part(at, index) });
    if (!part) return undefined;
    for (const line of part.string().split('\n')) rows.push(JSON.parse(line, fromText) as TableRow);
  }
  return rows;
}

function inParts(lines: readonly string[]): string[] {
  const parts: string[] = [];
  let open: string[] = [];
  let size = 0;
  for (const line of lines) {
    if (size > 0 && size + line.length > partChars) {
      parts.push(open.join('\n'));
      [open, size] = [[], 0];
    }
    open.push(line);
    size += line.length;
  }
  if (size > 0) parts.push(open.join('\n'));
  return parts;
}

/** JSON has no bytes. */
const asText = (_key: string, value: unknown): unknown =>
  value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64url') } : value;

const fromText = (_key: string, value: unknown): unknown =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).join() === 'bytes' &&
  typeof (value as { bytes: unknown }).bytes === 'string'
    ? new Uint8Array(Buffer.from((value as { bytes: string }).bytes, 'base64url'))
    : value;
