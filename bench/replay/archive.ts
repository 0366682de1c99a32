// An archive of what was said in a workspace: one JSON object a line, first who and where, then what, in order. Made by
// `generate.ts`, or taken from a real place; `docs/benchmarks.md` describes it.

import { z } from 'zod';

const Member = z.strictObject({ member: z.string(), kind: z.enum(['human', 'agent']) });
const Role = z.strictObject({ role: z.string(), holders: z.array(z.string()) });
const Conversation = z.strictObject({
  conversation: z.string(),
  kind: z.enum(['channel', 'dm']),
  floor: z.enum(['polite', 'open']).default('polite'),
  members: z.array(z.string()).min(1),
});

/** Milliseconds from the archive's beginning. */
const at = z.int().nonnegative();
/** Agents its author wants something of; `any`: of one of them. Left out where nobody has said. */
const wants = z.array(z.string()).optional();

const Message = z.strictObject({
  at,
  id: z.string(),
  in: z.string(),
  by: z.string(),
  text: z.string(),
  /** The message its thread hangs on. */
  thread: z.string().optional(),
  replyTo: z.string().optional(),
  /**
   * For an agent's message: its kind, and the request it is about. Without both it is the agent's last word on its present
   * work.
   */
  kind: z.enum(['progress', 'question', 'answer']).optional(),
  on: z.string().optional(),
  wants,
  any: z.literal(true).optional(),
  /** A piece of the request that began with this message. */
  part: z.string().optional(),
});
const Edit = z.strictObject({ at, edit: z.string(), text: z.string(), wants });
const Delete = z.strictObject({ at, delete: z.string() });

export type Member = z.output<typeof Member>;
export type Role = z.output<typeof Role>;
export type Conversation = z.output<typeof Conversation>;
export type Message = z.output<typeof Message>;
export type Edit = z.output<typeof Edit>;
export type Delete = z.output<typeof Delete>;
export type Event = Message | Edit | Delete;

export interface Archive {
  members: Member[];
  roles: Role[];
  conversations: Conversation[];
  events: Event[];
}

export const isMessage = (event: Event): event is Message => 'id' in event;

export const write = ({ members, roles, conversations, events }: Archive): string =>
  [...members, ...roles, ...conversations, ...events].map((line) => `${JSON.stringify(line)}\n`).join('');

/** Throws, with the number of the line, on whatever it cannot be replayed with. */
export function read(text: string): Archive {
  const archive: Archive = { members: [], roles: [], conversations: [], events: [] };
  let last = 0;
  for (const [n, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const fails = (why: string): never => {
      throw new Error(`line ${n + 1} of the archive: ${why}`);
    };
    const data = parsed(line) ?? fails('is no JSON object');
    const known = kinds.find(({ key }) => key in data) ?? fails('is none of member, role, conversation, message, edit, delete');
    const { success, data: row, error } = known.schema.safeParse(data);
    if (!success) return fails(z.prettifyError(error));
    (archive[known.to] as unknown[]).push(row);
    if (known.to !== 'events') continue;
    if ((row as Event).at < last) fails('is earlier than the one before');
    last = (row as Event).at;
  }
  return archive;
}

const kinds = [
  { key: 'member', schema: Member, to: 'members' },
  { key: 'role', schema: Role, to: 'roles' },
  { key: 'conversation', schema: Conversation, to: 'conversations' },
  { key: 'edit', schema: Edit, to: 'events' },
  { key: 'delete', schema: Delete, to: 'events' },
  { key: 'id', schema: Message, to: 'events' },
] as const;

function parsed(line: string): object | undefined {
  try {
    const data: unknown = JSON.parse(line);
    return typeof data === 'object' && data !== null ? data : undefined;
  } catch {
    return undefined;
  }
}

/** The first so many messages, and what became of them. */
export function beginning({ events, ...place }: Archive, messages: number): Archive {
  const ids = new Set(
    events
      .filter(isMessage)
      .slice(0, messages)
      .map(({ id }) => id),
  );
  const idOf = (event: Event): string => ('edit' in event ? event.edit : 'delete' in event ? event.delete : event.id);
  return { ...place, events: events.filter((event) => ids.has(idOf(event))) };
}
