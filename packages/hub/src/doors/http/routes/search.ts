import { foundPage } from '../../../views/messages.ts';
import { isAgent, readerFor, type RouteHandlers, sightOf, viewerOf } from '../route-context.ts';

const maxSearchRounds = 20;

export const searchRoutes = {
  search: async ({ input, caller, hub }) => {
    const { q, conversationId, authorId, before, limit } = input.query;
    if (isAgent(caller) && conversationId === undefined) return readerFor(hub, caller).search({ q, limit });
    const where = conversationId === undefined ? viewerOf(caller) : { conversationIds: [conversationId] };
    const cutoff = conversationId === undefined ? 0 : (await sightOf(hub, caller, conversationId)).historyCutoff;
    // What lies below the floor is passed over before anything is counted: not even `more` may tell that it is there.
    const visible: string[] = [];
    for (let from = before, round = 0; visible.length <= limit && round < maxSearchRounds; round++) {
      const hits = await hub.store.search.find({ text: q, where, authorId, before: from, limit: limit + 1 });
      const seen = hits.filter((hit) => hit.seq >= cutoff);
      visible.push(...seen.map((hit) => hit.messageId));
      if (hits.length <= limit) break;
      from = hits.at(-1)!.seq;
    }
    const { messages, more } = await foundPage(hub.store, visible, limit);
    if (isAgent(caller)) await readerFor(hub, caller).handOver(messages.map((message) => message.authorId));
    return { messages, more, indexedSeq: await hub.store.search.position() };
  },
} satisfies Partial<RouteHandlers>;
