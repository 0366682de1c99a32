// Everything that is kept about one person, as JSON text in pieces: each piece is a page, so that neither memory nor the
// other requests feel how much there is.

import type { PapEvent, PersonExport } from '@parley/protocol';
import { identityView } from '../agents/identity.ts';
import { stretches } from '../engine/look.ts';
import type { Reader } from '../store/port.ts';
import type { MemberRow, MessageRow, Rows, TableName } from '../store/tables.ts';
import { lendersOf } from './borrowed-access.ts';
import { obligationView } from './obligations.ts';
import { inPages, type Paging } from './pages.ts';
import { objectView } from './provoke.ts';
import { attachmentView, membershipView, tokenView } from './rows.ts';
import { taskViews } from './tasks.ts';

type Lists = { [K in Exclude<keyof PersonExport, 'exportedAt' | 'member'>]: AsyncIterable<PersonExport[K]> };

/** `whole`: the fields that are no lists, and the agents as the caller sees them. */
export async function* exportText(
  store: Reader,
  id: string,
  whole: Pick<PersonExport, 'exportedAt' | 'member' | 'agents'>,
  agents: readonly MemberRow[],
): AsyncGenerator<string> {
  const { agents: shown, ...head } = whole;
  const one = { where: 'member_id = ?', params: [id] };
  const lists: Lists = {
    memberships: mapped(store, { table: 'memberships', ...one, key: ['conversation_id'] }, membershipView),
    messages: messages(store, id),
    reactions: mapped(store, { table: 'reactions', ...one, key: ['message_id', 'emoji'] }, (row) => ({
      messageId: row.message_id,
      emoji: row.emoji,
      at: row.at,
    })),
    reads: mapped(store, { table: 'reads', ...one, key: ['conversation_id'] }, (row) => ({
      conversationId: row.conversation_id,
      readSeq: row.seq,
    })),
    attachments: mapped(store, { table: 'attachments', where: 'uploaded_by = ?', params: [id], key: ['id'] }, attachmentView),
    tokens: (async function* () {
      for await (const rows of inPages(store, { table: 'tokens', ...one, key: ['id'] })) {
        const lenders = await lendersOf(store, rows);
        yield rows.map((row) => tokenView(row, lenders.get(row.id) ?? null));
      }
    })(),
    tasks: (async function* () {
      for await (const rows of inPages(store, { table: 'tasks', where: 'requester_id = ?', params: [id], key: ['seq', 'id'] }))
        yield await taskViews(store, rows);
    })(),
    obligations: mapped(store, { table: 'obligations', where: 'author_id = ?', params: [id], key: ['seq', 'id'] }, (row) =>
      obligationView(row, true),
    ),
    agents: each([shown]),
    identities: (async function* () {
      for (const agent of agents) yield [await identityView(store, agent)];
    })(),
    roles: mapped(
      store,
      { table: 'roles', where: 'id in (select role_id from role_holders where member_id = ?)', params: [id], key: ['handle_fold'] },
      ({ handle }) => handle,
    ),
    provoke: mapped(
      store,
      { table: 'provoke_objects', where: 'owner_id = ? and removed_at is null', params: [id], key: ['kind', 'id'], text: ['body'] },
      objectView,
    ),
    events: mapped(store, { table: 'events', where: 'by_id = ?', params: [id], key: ['id'], text: ['body'] }, (row) => ({
      id: row.id,
      event: JSON.parse(row.body) as PapEvent,
      acceptedAt: row.accepted_at,
    })),
  };
  yield JSON.stringify(head).slice(0, -1);
  for (const [name, pages] of Object.entries(lists) as [string, AsyncIterable<unknown[]>][]) {
    yield `,${JSON.stringify(name)}:[`;
    let first = true;
    for await (const page of pages) {
      const text = JSON.stringify(page).slice(1, -1);
      if (text === '') continue;
      yield first ? text : `,${text}`;
      first = false;
    }
    yield ']';
  }
  yield '}';
}

async function* each<T>(pages: readonly T[]): AsyncGenerator<T> {
  yield* pages;
}

async function* mapped<T extends TableName, V>(store: Reader, paging: Paging<T>, view: (row: Rows[T]) => V): AsyncGenerator<V[]> {
  for await (const rows of inPages(store, paging)) yield rows.map(view);
}

type Written = PersonExport['messages'][number];

async function* messages(store: Reader, id: string): AsyncGenerator<Written[]> {
  for await (const [after, upTo] of stretches(store)) {
    const paging = { where: 'seq > ? and seq <= ? and author_id = ?', params: [after, upTo, id] };
    for await (const rows of inPages(store, { table: 'messages', ...paging, key: ['seq'], text: ['body'] }))
      for await (const part of withVersions(store, rows)) yield part;
  }
}

/** One message after the other: there is no end to how many versions one has, so a page may be less than a message. */
async function* withVersions(store: Reader, rows: readonly MessageRow[]): AsyncGenerator<Written[]> {
  for (const row of rows) {
    const versions: Written['versions'] = [];
    const paging = { where: 'message_id = ?', params: [row.id], key: ['version' as const], text: ['body' as const] };
    if (row.version > 1)
      for await (const page of inPages(store, { table: 'message_versions', ...paging }))
        versions.push(...page.map(({ version, body, at }) => ({ version, body, at })));
    yield [{ id: row.id, conversationId: row.conversation_id, body: row.body, createdAt: row.created_at, versions }];
  }
}
