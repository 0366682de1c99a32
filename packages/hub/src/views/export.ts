// Everything that is kept about one person, as JSON text in pieces: each piece is a page, so that neither memory nor the
// other requests feel how much there is.

import type { HubSharing, PapEvent, PersonExport } from '@parley/protocol';
import { identityView } from '../agents/identity.ts';
import { factRanges } from '../engine/decision-reads.ts';
import type { Reader } from '../store/port.ts';
import { inPages, type Paging } from '../store/reads/pages.ts';
import { heldBy } from '../store/reads/members.ts';
import type { MemberRow, MessageRow, Rows, TableName } from '../store/tables.ts';
import { lendersOf, attachmentView, membershipView, showColumns, tokenView } from './row-views.ts';
import { obligationView } from './obligations.ts';
import { objectView } from './events.ts';
import { taskViews } from './tasks.ts';

type Lists = { [K in Exclude<keyof PersonExport, 'exportedAt' | 'member' | 'messages' | 'peer'>]: AsyncIterable<PersonExport[K]> };

/** `whole`: the fields that are no lists, and the agents as the caller sees them. `isOwn`: the person asks for it. */
export async function* exportText(
  store: Reader,
  id: string,
  whole: Pick<PersonExport, 'exportedAt' | 'member' | 'agents' | 'peer'>,
  agents: readonly MemberRow[],
  isOwn: boolean,
): AsyncGenerator<string> {
  const { agents: shown, ...head } = whole;
  const one = { where: { member_id: id } };
  const lists: Lists = {
    memberships: mapped(store, { table: 'memberships', ...one, key: ['conversation_id'] }, membershipView),
    reactions: mapped(store, { table: 'reactions', ...one, key: ['message_id', 'emoji'] }, (row) =>
      showColumns(row, 'message_id, emoji, at'),
    ),
    reads: mapped(store, { table: 'reads', ...one, key: ['conversation_id'] }, (row) => ({
      conversationId: row.conversation_id,
      readSeq: row.seq,
    })),
    attachments: mapped(store, { table: 'attachments', where: { uploaded_by: id }, key: ['id'] }, attachmentView),
    tokens: (async function* () {
      for await (const rows of inPages(store, { table: 'tokens', ...one, key: ['id'] })) {
        const lenders = await lendersOf(store, rows);
        yield rows.map((row) => tokenView(row, lenders.get(row.id) ?? null));
      }
    })(),
    tasks: (async function* () {
      for await (const rows of inPages(store, { table: 'tasks', where: { requester_id: id }, key: ['seq', 'id'] }))
        yield await taskViews(store, rows);
    })(),
    obligations: mapped(store, { table: 'obligations', where: { author_id: id }, key: ['seq', 'id'] }, (row) => obligationView(row, true)),
    agents: each([shown]),
    identities: (async function* () {
      for (const agent of agents) yield [await identityView(store, agent)];
    })(),
    roles: mapped(store, { table: 'roles', where: heldBy(id), key: ['handle_fold'] }, ({ handle }) => handle),
    provoke: mapped(
      store,
      { table: 'provoke_objects', where: { owner_id: id, removed_at: null }, key: ['kind', 'id'], text: ['body'] },
      objectView,
    ),
    events: mapped(store, { table: 'events', where: { by_id: id }, key: ['id'], text: ['body'] }, (row) => ({
      id: row.id,
      event: JSON.parse(row.body) as PapEvent,
      acceptedAt: row.accepted_at,
    })),
    requestLinks: mapped(store, { table: 'request_links', ...one, key: ['id'] }, (row) =>
      showColumns(row, 'id, thread_id, state, made_at, expires_at'),
    ),
    sharing: isOwn
      ? mapped(store, { table: 'sharing_rules', ...one, key: ['member_id'] }, ({ data }) => JSON.parse(data) as HubSharing)
      : each([]),
  };
  yield JSON.stringify(head).slice(0, -1);
  yield ',"messages":[';
  yield* messages(store, id);
  yield ']';
  for (const [name, pages] of Object.entries(lists) as [string, AsyncIterable<unknown[]>][]) {
    yield `,${JSON.stringify(name)}:[`;
    yield* entries(pages);
    yield ']';
  }
  yield '}';
}

/** The entries of a list with commas between them, a page at a time. */
async function* entries(pages: AsyncIterable<readonly unknown[]>): AsyncGenerator<string> {
  let first = true;
  for await (const page of pages) {
    const text = JSON.stringify(page).slice(1, -1);
    if (text === '') continue;
    yield first ? text : `,${text}`;
    first = false;
  }
}

async function* each<T>(pages: readonly T[]): AsyncGenerator<T> {
  yield* pages;
}

async function* mapped<T extends TableName, V>(store: Reader, paging: Paging<T>, view: (row: Rows[T]) => V): AsyncGenerator<V[]> {
  for await (const rows of inPages(store, paging)) yield rows.map(view);
}

type Written = PersonExport['messages'][number];
const currentVersion = (row: MessageRow): Omit<Written, 'versions'> => showColumns(row, 'id, conversation_id, body, created_at');

/** There is no end to how many versions a message has: one that was edited is sent in pieces, those between together. */
async function* messages(store: Reader, id: string): AsyncGenerator<string> {
  let comma = '';
  for await (const [after, upTo] of factRanges(store)) {
    const paging = { where: { seq: { '<=': upTo }, author_id: id }, after: [after] };
    for await (const rows of inPages(store, { table: 'messages', ...paging, key: ['seq'], text: ['body'] })) {
      let from = 0;
      for (const [at, row] of [...rows.entries(), [rows.length, undefined] as const]) {
        if (row?.version === 1) continue;
        const unedited = rows.slice(from, at).map((one) => ({ ...currentVersion(one), versions: [] }));
        from = at + 1;
        if (unedited.length > 0) {
          yield comma + JSON.stringify(unedited).slice(1, -1);
          comma = ',';
        }
        if (row === undefined) continue;
        yield `${comma}${JSON.stringify(currentVersion(row)).slice(0, -1)},"versions":[`;
        yield* entries(versions(store, row.id));
        yield ']}';
        comma = ',';
      }
    }
  }
}

async function* versions(store: Reader, messageId: string): AsyncGenerator<Written['versions']> {
  const paging = { where: { message_id: messageId }, key: ['version' as const], text: ['body' as const] };
  for await (const page of inPages(store, { table: 'message_versions', ...paging }))
    yield page.map(({ version, body, at }) => ({ version, body, at }));
}
