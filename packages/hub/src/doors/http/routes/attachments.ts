import type { Readable } from 'node:stream';
import { isShownType, may, mediaType } from '@parley/core';
import { AttachmentName, maxAttachmentBytes, ParleyError } from '@parley/protocol';
import { invalidField } from '../../../engine/command.ts';
import { attachmentView } from '../../../views/row-views.ts';
import { isAgent, readerFor, type RouteHandlers, sightOf } from '../route-context.ts';

export const attachmentRoutes = {
  uploadAttachment: async ({ input, caller, request, reply, hub }) => {
    // Whatever is wrong, the rest of a large body is not waited for: the answer goes out and the connection ends.
    reply.header('connection', 'close');
    if (Number(request.headers['content-length'] ?? 0) > maxAttachmentBytes)
      throw new ParleyError('too_large', `An attachment is at most ${maxAttachmentBytes} bytes.`);
    const name = AttachmentName.safeParse(input.query.name);
    if (!name.success) throw invalidField('name', name.error.issues[0]!.message);
    if (!may('attachment.upload', caller.actor).allowed) throw new ParleyError('forbidden', undefined, { reason: 'attachment.upload' });
    const body = request.body as Readable | undefined;
    if (!body) throw invalidField('(body)', 'must be the bytes of the file');
    const { sha256, size, head, release } = await hub.blobs.put(body.iterator({ destroyOnReturn: false }), maxAttachmentBytes);
    reply.removeHeader('connection');
    try {
      const type = mediaType((request.headers['x-media-type'] as string | undefined) ?? request.headers['content-type'], head);
      const { attachment } = await hub.engine.submit({
        type: 'attachment.add',
        by: caller.by,
        sha256,
        name: name.data,
        mediaType: type,
        size,
      });
      return attachmentView(attachment);
    } catch (error) {
      release();
      // While somebody else uploads the same content it cannot be erased: their upload keeps it or erases it.
      if (error instanceof ParleyError && error.code === 'too_large') await hub.blobs.eraseUnused(sha256, hub.store).catch(() => {});
      throw error;
    } finally {
      release();
    }
  },
  getAttachment: async ({ input, caller, request, reply, hub }) => {
    const missing = new ParleyError('not_found', 'There is no such attachment, or you may not see it.');
    const [row] = await hub.store.rows('attachments', { id: input.params.attachmentId });
    if (!row || row.erased_at !== null || !(await hub.blobs.has(row.sha256))) throw missing;
    if (row.message_id === null) {
      if (row.uploaded_by !== caller.memberId) throw missing;
    } else {
      const [message] = await hub.store.rows('messages', { id: row.message_id });
      const { historyCutoff } = await sightOf(hub, caller, message!.conversation_id);
      if (message!.seq < historyCutoff) throw missing;
      // Its content has the same author as the message.
      if (isAgent(caller)) await readerFor(hub, caller).handOver([row.uploaded_by]);
    }
    reply.headers({
      'content-type': isShownType(row.media_type) ? row.media_type : 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(row.name).replaceAll(/['()*]/g, (c) => `%${c.codePointAt(0)!.toString(16)}`)}`,
      'content-length': row.size,
      // Should it be opened all the same, it runs in no origin and loads nothing.
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      // Asked for again each time: what was deleted must not live on in a cache.
      'cache-control': 'private, no-cache',
      etag: `"${row.sha256}"`,
    });
    if (request.headers['if-none-match'] === `"${row.sha256}"`) return reply.code(304).removeHeader('content-length').send();
    return hub.blobs.read(row.sha256);
  },
} satisfies Partial<RouteHandlers>;
