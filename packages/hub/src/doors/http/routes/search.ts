import { may } from '@parley/core';
import { historiesOf } from '../../../store/reads/conversations.ts';
import { foundPage } from '../../../views/messages.ts';
import { type Caller, isAgent, memberOf, readerFor, type RouteHandlers, type Services, sightOf } from '../route-context.ts';

const maxSearchRounds = 20;

export const searchRoutes = {
  search: async ({ input, caller, hub }) => {
    const { q, conversationId, authorId, before, limit } = input.query;
    if (isAgent(caller) && conversationId === undefined) return readerFor(hub, caller).search({ q, limit });
    const floors =
      conversationId === undefined
        ? await searchable(hub, caller)
        : new Map([[conversationId, (await sightOf(hub, caller, conversationId)).historyCutoff]]);
    // What lies below the floor is passed over before anything is counted: not even `more` may tell that it is there.
    const visible: string[] = [];
    for (let from = before, round = 0; visible.length <= limit && round < maxSearchRounds; round++) {
      const hits = await hub.store.search.find({ text: q, conversationIds: [...floors.keys()], authorId, before: from, limit: limit + 1 });
      const seen = hits.filter((hit) => hit.seq >= (floors.get(hit.conversationId) ?? Number.MAX_SAFE_INTEGER));
      visible.push(...seen.map((hit) => hit.messageId));
      if (hits.length <= limit) break;
      from = hits.at(-1)!.seq;
    }
    const { messages, more } = await foundPage(hub.store, visible, limit);
    if (isAgent(caller)) await readerFor(hub, caller).handOver(messages.map((message) => message.authorId));
    return { messages, more, indexedSeq: await hub.store.search.position() };
  },
} satisfies Partial<RouteHandlers>;

/** Every conversation the caller may read, with the place from which on. */
async function searchable(hub: Services, caller: Caller): Promise<Map<string, number>> {
  const me = memberOf(caller);
  const joined = new Map((await hub.store.rows('memberships', { member_id: me })).map((row) => [row.conversation_id, row.joined_seq]));
  const rows = await historiesOf(hub.store, [...joined.keys()], may('workspace.browse', caller.actor).allowed);
  return new Map(rows.map((row) => [row.id, row.history === 'all' ? 0 : (joined.get(row.parent_id ?? row.id) ?? Number.MAX_SAFE_INTEGER)]));
}
