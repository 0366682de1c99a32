import type { Readable } from 'node:stream';
import { isShownSize, isShownType, may, mediaType } from '@parley/core';
import { AttachmentName, maxAttachmentBytes, ParleyError } from '@parley/protocol';
import { invalidField } from '../../../engine/command.ts';
import { imageSize } from '../../../images/image-size.ts';
import { attachmentView } from '../../../views/row-views.ts';
import { isAgent, readerFor, type RouteHandlers, type Services, sightOf } from '../route-context.ts';

/** An image that is too large to be shown, or does not say how large it is, is a file like any other. */
async function shownType(type: string, { blobs }: Services, sha256: string): Promise<string> {
  if (!isShownType(type)) return type;
  const size = await blobs.readParts(sha256, (read) => imageSize(type, read));
  return isShownSize(size) ? type : 'application/octet-stream';
}

export const attachmentRoutes = {
  uploadAttachment: async ({ input, caller, request, hub }) => {
    if (Number(request.headers['content-length'] ?? 0) > maxAttachmentBytes)
      throw new ParleyError('too_large', `An attachment is at most ${maxAttachmentBytes} bytes.`);
    const name = AttachmentName.safeParse(input.query.name);
    if (!name.success) throw invalidField('name', name.error.issues[0]!.message);
    if (!may('attachment.upload', caller.actor).allowed) throw new ParleyError('forbidden', undefined, { reason: 'attachment.upload' });
    const body = request.body as Readable | undefined;
    if (!body) throw invalidField('(body)', 'must be the bytes of the file');
    const { sha256, size, head, release } = await hub.blobs.put(body.iterator({ destroyOnReturn: false }), maxAttachmentBytes);
    try {
      const declared = (request.headers['x-media-type'] as string | undefined) ?? request.headers['content-type'];
      const type = await shownType(mediaType(declared, head), hub, sha256);
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
      const { historyCutoff } = await sightOf(hub, caller, message!.conversation_id).catch((error: unknown) => {
        throw error instanceof ParleyError && error.code === 'not_found' ? missing : error;
      });
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
      // Caches must revalidate each time, because a deleted file must not live on in one.
      'cache-control': 'private, no-cache',
      etag: `"${row.sha256}"`,
    });
    if (request.headers['if-none-match'] === `"${row.sha256}"`) return reply.code(304).removeHeader('content-length').send();
    return hub.blobs.read(row.sha256);
  },
} satisfies Partial<RouteHandlers>;
