// Reads and checks whole packets, the same on the way out and in. Bad input is a value with the name of the field, never a throw.

import type { z } from 'zod';
import { problemsOf } from '../errors.ts';
import { plainErrors } from '../text/problem-words.ts';
import { utf8 } from './bytes.ts';
import { type PacketContents, packetContents } from './packet-contents.ts';
import { mostPacketLevels, ownCapabilities, Packet, type PacketType, packetTypeOf } from './packets.ts';

/** `as`: the type to act by. */
export type TypedPacket = { [T in PacketType]: { as: T; packet: Packet & PacketContents<T> } }[PacketType];

export interface PacketProblem {
  ok: false;
  /** Such as `needs.5` or `(packet)`. */
  field: string;
  problem: string;
}
export type PacketReading = ({ ok: true; text: string } & TypedPacket) | PacketProblem;

const problemAt = (field: string, problem: string): PacketProblem => ({ ok: false, field, problem });
const tooDeep = problemAt('(packet)', `nests more than ${mostPacketLevels} levels deep`);

/** How deep objects and arrays nest in a JSON text. */
export function levelsOf(text: string): number {
  let [level, deepest, isInString] = [0, 0, false];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === '"') isInString = !isInString;
    else if (isInString) at += char === '\\' ? 1 : 0;
    else if ('{['.includes(char)) deepest = Math.max(deepest, (level += 1));
    else if ('}]'.includes(char)) level -= 1;
  }
  return deepest;
}

/** `most`: the bytes that the receiver takes, as its capabilities say. */
export function readPacket(text: string, most = ownCapabilities.max_context_size_bytes): PacketReading {
  if (levelsOf(text) > mostPacketLevels) return tooDeep;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return problemAt('(packet)', 'is not JSON');
  }
  const head = Packet.safeParse(value, plainErrors);
  if (!head.success) return firstProblem(head.error);
  const as = packetTypeOf(head.data);
  const content = packetContents[as].safeParse(head.data, plainErrors);
  if (!content.success) return firstProblem(content.error);
  const packet = content.data as Packet;
  const problem = excessOf(packet, most) ?? falsePermissions(packet);
  return problem ?? ({ ok: true, text, as, packet } as PacketReading);
}

/** The text of a packet that is to be sent. A brain's object may be endless or hold what JSON cannot. */
export function writePacket(packet: object, most?: number): PacketReading {
  if (isTooDeep(packet)) return tooDeep;
  let text: string;
  try {
    text = JSON.stringify(packet);
  } catch {
    return problemAt('(packet)', 'holds a value that JSON cannot write');
  }
  return readPacket(text, most);
}

function firstProblem(error: z.ZodError): PacketProblem {
  const { field, message } = problemsOf(error)[0]!;
  return problemAt(field === '(body)' ? '(packet)' : field, message);
}

const freeFields = ['context', 'context_provided', 'shared_context', 'proposal'] as const;

/** The free parts together, as JSON; the problem names the largest. */
function excessOf(packet: Packet, most: number): PacketProblem | undefined {
  const sizes = freeFields.map((field) => ({ field, size: packet[field] === undefined ? 0 : utf8(JSON.stringify(packet[field])).length }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= most) return undefined;
  const [largest] = sizes.toSorted((a, b) => b.size - a.size);
  return problemAt(largest!.field, `makes the packet ${total} bytes large; the receiver takes at most ${most}`);
}

/** A packet that names other fields than it holds would mislead the person who reads what was shared. */
function falsePermissions({ context = {}, permissions }: Packet): PacketProblem | undefined {
  if (!permissions) return undefined;
  const [names, keys] = [new Set(permissions.shared_fields), Object.keys(context)];
  const isTrue = names.size === keys.length && keys.every((key) => names.has(key));
  return isTrue ? undefined : problemAt('permissions.shared_fields', 'must name every key of context and no other');
}

/** Walks with a list instead of the stack, and stops at the limit, so that a circle ends too. */
function isTooDeep(root: object): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    const below = level.filter((value) => typeof value === 'object' && value !== null);
    if (below.length > 0 && depth >= mostPacketLevels) return true;
    level = [...new Set(below.flatMap((value): unknown[] => Object.values(value)))];
  }
  return false;
}
