// A backup is one file: a gzip of JSON lines, so that it can be read without Parley (`zcat file | head`).
//
//   {"parley":"backup","version":1,"schema":1,"engine":"sqlite","epoch":"…","createdAt":0,"checksumKey":"…"}
//   {"t":"members","r":{"id":"…",…,"sum":"…"}}        every row of every table, tables in order, rows in key order
//   {"b":"<sha256>","d":"<base64>"}                   an attachment's bytes, in pieces
//   {"b":"<sha256>","size":123}                       and its end; or {"b":"<sha256>","lost":true}: not to be had
//   {"p":"<member>","d":"…"}                          a person's peer: its own sealed backup, with the key that opens it
//   {"f":"triggers/disk.yaml","d":"…"}               a file that people keep for the hub
//   {"end":{"rows":{"members":3,…},"head":42,"blobs":1,"lost":[],"peers":1,"lostPeers":[]}}
//
// After that gzip stream comes a second, tiny one that holds {"sha256":"…"}: the hash of all bytes of the file before
// it. gzip readers join the two; and since its bytes are fixed, no byte of the file can change unnoticed.
//
// A third one holds {"hmac":"…","key":"…"}: the second, signed with backup.key of the data folder, and which key that was.
//
// Rows travel with their checksums and the key they were made with: a restore on another machine proves every row.
// A backup contains everything, so it is as secret as the data folder.

import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AnyRow, TableName } from '../store/tables.ts';

export const formatVersion = 1;

export interface Header {
  parley: 'backup';
  version: number;
  /** The schema its rows have; see upgrades.ts. */
  schema: number;
  engine: 'sqlite' | 'postgres';
  epoch: string;
  createdAt: number;
  checksumKey: string;
}

export interface Footer {
  rows: Record<string, number>;
  /** The last fact's place in the stream. */
  head: number;
  blobs: number;
  /** Attachments' contents that the database names and that could not be saved. */
  lost: string[];
  /** People's peers; left out before schema 9. */
  peers?: number;
  /** Members whose peer could not be saved. */
  lostPeers?: string[];
  /** Files of agents, triggers, manifests and tools; left out before schema 12. */
  files?: string[];
  /** Where the rows were not those that the hub had stored, or ended before its last fact, in words: a restore brings them back as they were found. */
  altered?: string[];
}

export type BackupLine =
  | { t: TableName; r: AnyRow }
  | { b: string; d: string }
  | { b: string; size: number }
  | { b: string; lost: true }
  | { p: string; d: string }
  | { f: string; d: string }
  | { end: Footer };

export type BackupFailure =
  /** The file is not a backup at all. */
  | 'not_a_backup'
  /** The file is a backup, but it was changed, or the key that is here did not sign it. */
  | 'damaged'
  /** A newer Parley wrote it, or the database. */
  | 'newer'
  /** An older Parley wrote the database, and nothing has upgraded it yet. */
  | 'older'
  /** The target of the restore or backup is not empty. */
  | 'occupied'
  /** The database or file does not exist. */
  | 'nothing_there';

export class BackupError extends Error {
  readonly failure: BackupFailure;

  constructor(failure: BackupFailure, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'BackupError';
    this.failure = failure;
  }
}

/** A gzip member (RFC 1952) with one stored block (RFC 1951, 3.2.4): the same text always gives the same bytes. */
function member(text: string): Buffer {
  const content = Buffer.from(text);
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1, content.length, 0, ~content.length & 0xff, 0xff]);
  const tail = Buffer.alloc(8);
  tail.writeUInt32LE(crc32(content), 0);
  tail.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content, tail]);
}

export const seal = (sha256: string): Buffer => member(`{"sha256":"${sha256}"}\n`);
export const sealLength = seal('0'.repeat(64)).length;

/** The seal covers every byte before it; without the key nobody can sign another one. */
export function signature(key: Uint8Array, sealed: Uint8Array): Buffer {
  const hmac = createHmac('sha256', key).update(sealed).digest('hex');
  return signatureMember(hmac, createHmac('sha256', key).update('parley backup key').digest('hex').slice(0, 32));
}
const signatureMember = (hmac: string, key: string): Buffer => member(`{"hmac":"${hmac}","key":"${key}"}\n`);
export const signatureLength = signatureMember('0'.repeat(64), '0'.repeat(32)).length;

/** Whether the bytes are a complete signature, by any key. */
export function isSignature(bytes: Buffer): boolean {
  const found = /^\{"hmac":"([0-9a-f]{64})","key":"([0-9a-f]{32})"\}\n/.exec(bytes.subarray(15).toString('latin1'));
  return found !== null && bytes.equals(signatureMember(found[1]!, found[2]!));
}

/** How far the maker of a backup is known: `unchecked` is signed with a key that is not here. */
export type Signature = 'verified' | 'unchecked' | 'unsigned';
