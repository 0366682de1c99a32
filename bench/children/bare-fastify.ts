// The framework alone: the same body read, checked by the same schema and answered with as many bytes, and nothing kept.

import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { PapEvent, PostMessage } from '../../packages/protocol/src/index.ts';
import { serve } from './serve.ts';

interface Request {
  params: { conversationId: string };
  body: unknown;
}
interface Fastify {
  post(path: string, handler: (request: Request, reply: { send(answer: object): void }) => void): void;
  listen(where: { port: number; host: string }): Promise<unknown>;
  close(): Promise<void>;
  server: Server;
}

// The very one that the hub uses.
const { fastify } = createRequire(new URL('../../packages/hub/package.json', import.meta.url))('fastify') as { fastify: () => Fastify };
const app = fastify();
let count = 0;
app.post('/api/v1/conversations/:conversationId/messages', (request, reply) => {
  const { body, replyTo = null } = PostMessage.parse(request.body);
  const now = Date.now();
  reply.send({
    id: 'msg_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    conversationId: request.params.conversationId,
    seq: ++count,
    authorId: '0190a0a0-0000-7000-8000-000000000000',
    body,
    version: 1,
    replyTo,
    attachments: [],
    reactions: [],
    threadId: null,
    threadReplies: 0,
    threadLastAt: null,
    createdAt: now,
    editedAt: null,
    deletedAt: null,
  });
});
app.post('/api/v1/events', (request, reply) => {
  const { id, type } = PapEvent.parse(request.body);
  reply.send({
    id: 'evt_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    eventId: id,
    type,
    chainId: 'chn_01ARZ3NDEKTSV4RRFFQ69G5FAV',
    warnings: [],
    triggers: [],
  });
});
await app.listen({ port: 0, host: '127.0.0.1' });
serve({ port: (app.server.address() as AddressInfo).port }, {}, () => app.close());
