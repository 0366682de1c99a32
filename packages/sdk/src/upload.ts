import type { Attachment } from '@parley/protocol';
import { abortReason } from './clock.ts';
import { ConnectionError, decodeError } from './errors.ts';

export interface Upload {
  name: string;
  data: Blob | Uint8Array<ArrayBuffer>;
  mediaType?: string;
}

export interface UploadOptions {
  signal?: AbortSignal;
  /** Progress from 0 to 1. Only a browser reports it. */
  onProgress?: (part: number) => void;
}

interface Sending {
  url: string;
  headers: Record<string, string>;
  data: Upload['data'];
  onProgress: (part: number) => void;
  signal: AbortSignal | undefined;
}

/** The part of XMLHttpRequest used here; this package is also compiled where the DOM's types are absent. */
interface Xhr {
  upload: {
    addEventListener(type: 'progress', listener: (event: { lengthComputable: boolean; loaded: number; total: number }) => void): void;
  };
  status: number;
  responseText: string;
  addEventListener(type: 'load' | 'error' | 'abort', listener: () => void): void;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  send(body: unknown): void;
  abort(): void;
}

/** fetch cannot say how much of a body has gone out, so a page that shows progress still needs XMLHttpRequest. */
export function uploadWithProgress({ url, headers, data, onProgress, signal }: Sending): Promise<Attachment> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(abortReason(signal));
    const xhr = new (globalThis as unknown as { XMLHttpRequest: new () => Xhr }).XMLHttpRequest();
    const abort = () => xhr.abort();
    signal?.addEventListener('abort', abort, { once: true });
    const on = (type: 'load' | 'error' | 'abort', finish: () => void) =>
      xhr.addEventListener(type, () => {
        signal?.removeEventListener('abort', abort);
        finish();
      });
    xhr.open('POST', url);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable && event.total > 0) onProgress(event.loaded / event.total);
    });
    on('load', () => {
      if (xhr.status < 200 || xhr.status > 299) return reject(decodeError(xhr.status, xhr.responseText));
      try {
        resolve(JSON.parse(xhr.responseText) as Attachment);
      } catch (error) {
        reject(new ConnectionError('bad_answer', 'The upload was answered with something that is not JSON', { cause: error }));
      }
    });
    on('error', () => reject(new ConnectionError('network', 'The hub cannot be reached')));
    on('abort', () => reject(signal ? abortReason(signal) : new ConnectionError('network', 'The upload was cut off')));
    xhr.send(data);
  });
}
