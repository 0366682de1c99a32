import { invisibleCharacters } from '@parley/core';
import type { Attachment } from '@parley/protocol';
import { isSeen, maxAttachmentBytes, maxAttachmentsPerMessage, toOneLine } from '@parley/protocol';
import { useCallback, useRef, useState } from 'react';
import { errorText } from '../lib/error-text.ts';
import { fileSize } from '../lib/time.ts';
import { useWorkspace } from '../state/context.ts';
import { toast } from '../ui/toast.tsx';

/** A file picked for the next message. It goes up at once, so that sending does not wait for it. */
export interface PickedFile {
  id: number;
  name: string;
  size: number;
  progress: number;
  attachment: Attachment | null;
  error: string | null;
}

let nextId = 0;

export function useUploads() {
  const { client } = useWorkspace();
  const [files, setFiles] = useState<readonly PickedFile[]>([]);
  const running = useRef(new Map<number, AbortController>());

  const patch = useCallback((id: number, change: Partial<PickedFile>) => {
    setFiles((list) => list.map((file) => (file.id === id ? { ...file, ...change } : file)));
  }, []);

  const start = useCallback(
    async (id: number, file: File) => {
      const stop = new AbortController();
      running.current.set(id, stop);
      try {
        const attachment = await client.upload(
          { name: safeName(file.name), data: file, ...(file.type === '' ? {} : { mediaType: file.type }) },
          { signal: stop.signal, onProgress: (progress) => patch(id, { progress }) },
        );
        patch(id, { attachment, progress: 1 });
      } catch (error) {
        if (!stop.signal.aborted) patch(id, { error: errorText(error) });
      } finally {
        running.current.delete(id);
      }
    },
    [client, patch],
  );

  const add = useCallback(
    (picked: Iterable<File>) => {
      const list = [...picked];
      const room = maxAttachmentsPerMessage - files.length;
      if (list.length > room) toast(`A message takes at most ${maxAttachmentsPerMessage} files.`, 'danger');
      for (const file of list.slice(0, Math.max(0, room))) {
        const id = nextId++;
        const tooLarge = file.size > maxAttachmentBytes ? `Over ${fileSize(maxAttachmentBytes)}` : null;
        setFiles((all) => [...all, { id, name: file.name, size: file.size, progress: 0, attachment: null, error: tooLarge }]);
        if (!tooLarge) void start(id, file);
      }
    },
    [files.length, start],
  );

  const remove = useCallback((id: number) => {
    running.current.get(id)?.abort();
    setFiles((list) => list.filter((file) => file.id !== id));
  }, []);
  const clear = useCallback(() => setFiles([]), []);

  return { files, add, remove, clear };
}

export type Uploads = ReturnType<typeof useUploads>;

/** As the protocol's AttachmentName takes it; what a paste calls its picture is often nothing at all. */
function safeName(name: string): string {
  const line = toOneLine(name);
  const plain = (isSeen(line) ? line : line.replaceAll(invisibleCharacters, '')).replaceAll(/[/\\]/g, '_').slice(-200);
  return plain === '' || plain === '.' || plain === '..' ? 'file' : plain;
}
