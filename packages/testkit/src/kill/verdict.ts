// Checks what must hold after any number of kills: what clients were promised against what the database holds.

import type { Rows, Store, TableName } from '@parley/hub';
import { parseCursor } from '@parley/protocol';
import type { Acked, StreamRecord } from './load.ts';

export interface Promised {
  acked: Acked[];
  refused: string[];
  streams: { name: string; from: string; heard: StreamRecord[] }[];
  /** Where the load took place. */
  channels: string[];
}

export interface StoredState {
  messages: Rows['messages'][];
  versions: Rows['message_versions'][];
  facts: (Rows['facts'] & { sum: string })[];
}

export interface Broken {
  rule:
    | 'refused'
    | 'lost'
    | 'twice'
    | 'order'
    | 'edits'
    | 'numbers'
    | 'chain'
    | 'verify'
    | 'stream twice'
    | 'stream gap'
    | 'stream order'
    | 'stream phantom';
  what: string;
}

/** Reads everything; each row is verified against its checksum on the way. */
export async function keptIn(store: Store): Promise<StoredState> {
  const all = async <T extends TableName>(table: T): Promise<Rows[T][]> =>
    store.snapshot(async (scan) => {
      const rows: unknown[] = [];
      for await (const page of scan(table)) rows.push(...page);
      return rows as Rows[T][];
    });
  // The scan does not verify; a read does.
  for (let after = 0; ; after += 1000) {
    const [facts, messages] = await Promise.all([
      store.rows('facts', 'where seq > ? and seq <= ?', [after, after + 1000]),
      store.rows('messages', 'where seq > ? and seq <= ?', [after, after + 1000]),
    ]);
    if (facts.length + messages.length === 0) break;
  }
  const byVersion = (await all('message_versions')).toSorted((a, b) => a.version - b.version);
  return { messages: await all('messages'), versions: byVersion, facts: (await all('facts')) as StoredState['facts'] };
}

export function judge({ acked, refused, streams, channels }: Promised, { messages, versions, facts }: StoredState): Broken[] {
  const broken: Broken[] = [];
  const breaks = (rule: Broken['rule'], what: string): void => void broken.push({ rule, what });

  for (const what of refused) breaks('refused', what);

  const byTag = Map.groupBy(messages, (row) => /^<[^>]+>/.exec(row.body ?? '')?.[0] ?? '');
  const versionsOf = Map.groupBy(versions, (row) => row.message_id);
  const lastOf = new Map<string, number>();
  for (const ack of acked) {
    const rows = byTag.get(ack.tag) ?? [];
    const row = rows.find(({ id }) => id === ack.id);
    if (!row) breaks('lost', `${ack.tag} ${ack.id}`);
    if (rows.length > 1) breaks('twice', `${ack.tag} ${rows.map(({ id }) => id).join(' ')}`);
    if (!row) continue;
    const texts = [...(versionsOf.get(row.id) ?? []).map(({ body }) => body), row.body];
    if (JSON.stringify(texts) !== JSON.stringify(ack.texts))
      breaks('edits', `${ack.tag} has ${JSON.stringify(texts)}, acked ${JSON.stringify(ack.texts)}`);
    const place = `${ack.writer} ${ack.conversationId}`;
    if (row.seq !== ack.seq || row.seq <= (lastOf.get(place) ?? 0))
      breaks('order', `${ack.tag} at ${row.seq}, acked at ${ack.seq}, after ${lastOf.get(place)}`);
    lastOf.set(place, row.seq);
  }

  const postedAt = new Map(facts.filter(({ type }) => type === 'message.posted').map((fact) => [fact.seq, fact.subject_id]));
  for (const row of messages) if (postedAt.get(row.seq) !== row.id) breaks('numbers', `message ${row.id} at ${row.seq} has no fact there`);
  if (postedAt.size !== messages.length) breaks('numbers', `${postedAt.size} posts, ${messages.length} messages`);
  facts.forEach((fact, i) => {
    if (fact.seq !== i + 1) breaks('numbers', `fact ${i + 1} has the number ${fact.seq}`);
    if (fact.prev !== (facts[i - 1]?.sum ?? '')) breaks('chain', `fact ${fact.seq} does not follow the one before it`);
  });

  const inChannels = facts.filter((fact) => fact.type.startsWith('message.') && channels.includes(fact.conversation_id ?? ''));
  const allSeqs = new Set(facts.map(({ seq }) => seq));
  for (const { name, from, heard } of streams) {
    if (heard.some(({ type }) => type === 'reset')) breaks('stream gap', `${name} was reset`);
    const seqs = heard.filter(({ type }) => type !== 'reset').map(({ cursor }) => parseCursor(cursor).seq);
    const times = Map.groupBy(seqs, (seq) => seq);
    for (const { seq } of inChannels) if (seq > parseCursor(from).seq && !times.has(seq)) breaks('stream gap', `${name} missed ${seq}`);
    for (const [seq, all] of times) {
      if (all.length > 1) breaks('stream twice', `${name} got ${seq} ${all.length} times`);
      if (!allSeqs.has(seq)) breaks('stream phantom', `${name} got ${seq}, which is not there`);
    }
    const posts = heard.filter(({ type }) => type === 'message.posted').map(({ messageId }) => messageId);
    if (new Set(posts).size !== posts.length) breaks('stream twice', `${name} was shown a message twice`);
    if (seqs.some((seq, i) => i > 0 && seq < seqs[i - 1]!)) breaks('stream order', name);
  }
  return broken;
}
