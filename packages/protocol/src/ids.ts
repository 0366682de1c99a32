// Ids carry their kind as a prefix, so that a pasted id says what it names.
// Members are UUIDs: agents are known by UUID outside the hub as well (SYS-8).

import { z } from 'zod';

export const idPrefixes = {
  conversation: 'con',
  message: 'msg',
  attachment: 'att',
  token: 'tok',
  link: 'lnk',
  timer: 'tmr',
  effect: 'eff',
  task: 'tsk',
  chain: 'chn',
  turn: 'trn',
  role: 'rol',
  obligation: 'obl',
  checkpoint: 'chk',
  invocation: 'inv',
  event: 'evt',
  audit: 'aud',
  negotiation: 'thr',
} as const;
export type IdKind = keyof typeof idPrefixes;

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A source of randomness; injected, so that tests are repeatable. */
export type RandomBytes = (length: number) => Uint8Array;

/** Time-ordered like a ULID: 10 characters of milliseconds, 16 of chance. */
export function newId(kind: IdKind, now: number, random: RandomBytes): string {
  let time = '';
  for (let rest = now, i = 0; i < 10; i++) {
    time = crockford[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  let chance = '';
  for (const byte of random(16)) chance += crockford[byte & 31];
  return `${idPrefixes[kind]}_${time}${chance}`;
}

/** UUID version 7 (RFC 9562): sorts by creation. */
export function newMemberId(now: number, random: RandomBytes): string {
  const bytes = new Uint8Array(16);
  bytes.set(random(16));
  for (let i = 5, rest = now; i >= 0; i--) {
    bytes[i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = [...bytes].map((b) => b.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

export const idPattern = (kind: IdKind) =>
  z.string().regex(new RegExp(`^${idPrefixes[kind]}_[0-9A-HJKMNP-TV-Z]{26}$`), `must be a ${kind} id (${idPrefixes[kind]}_…)`);

export const MemberId = z.uuid('must be a member id (a UUID)');
export const ConversationId = idPattern('conversation');
export const MessageId = idPattern('message');
export const AttachmentId = idPattern('attachment');
export const TokenId = idPattern('token');
export const LinkId = idPattern('link');
export const TaskId = idPattern('task');
export const ChainId = idPattern('chain');
export const RoleId = idPattern('role');
export const ObligationId = idPattern('obligation');
export const CheckpointId = idPattern('checkpoint');
export const InvocationId = idPattern('invocation');
