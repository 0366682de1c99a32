import type { Attachment } from '@parley/protocol';
import { fileSize } from '../lib/time.ts';
import { client } from '../state/client.ts';
import { Icon } from '../ui/icons.tsx';

/** Only formats that cannot carry a script are shown as pictures; everything else is a download. */
const pictures = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export function Attachments({ files }: { files: Attachment[] }) {
  if (files.length === 0) return null;
  return (
    <ul className="mt-1.5 flex flex-wrap gap-2">
      {files.map((file) => (
        <li key={file.id} className="max-w-full">
          <AttachmentView file={file} />
        </li>
      ))}
    </ul>
  );
}

function AttachmentView({ file }: { file: Attachment }) {
  if (file.erased) return <span className="text-sm text-ink-3 italic">A file was removed.</span>;
  const url = client.attachmentUrl(file.id);
  if (pictures.has(file.mediaType)) {
    return (
      <a href={url} download={file.name} title={file.name} className="block overflow-hidden rounded-lg border border-line">
        <img src={url} alt={file.name} loading="lazy" decoding="async" className="max-h-80 max-w-full min-w-8 object-contain" />
      </a>
    );
  }
  return (
    <a
      href={url}
      download={file.name}
      className="flex max-w-full items-center gap-3 rounded-lg border border-line py-2 pr-4 pl-3 hover:border-line-strong hover:bg-hover"
    >
      <Icon name="file" size={22} className="text-ink-3" />
      <span className="min-w-0 leading-tight">
        <span className="block truncate text-sm font-medium">{file.name}</span>
        <span className="text-xs text-ink-3">{fileSize(file.size)}</span>
      </span>
    </a>
  );
}
