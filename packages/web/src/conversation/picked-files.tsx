import { fileSize } from '../lib/time.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icons.tsx';
import type { PickedFile } from './use-uploads.ts';

export function PickedFiles({ files, onRemove }: { files: readonly PickedFile[]; onRemove: (id: number) => void }) {
  if (files.length === 0) return null;
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2 px-2 pt-2">
      {files.map((file) => (
        <li
          key={file.id}
          className="relative flex max-w-64 items-center gap-2 overflow-hidden rounded-lg border border-line bg-sunken py-1 pr-1 pl-2.5"
        >
          <Icon name="file" className="text-ink-3" />
          <span className="min-w-0 leading-tight">
            <span className="block truncate text-[13px] font-medium">{file.name}</span>
            <span className={`text-xs ${file.error ? 'text-danger' : 'text-ink-3'}`}>{file.error ?? fileSize(file.size)}</span>
          </span>
          <IconButton small icon="close" label={`Remove ${file.name}`} onClick={() => onRemove(file.id)} />
          {file.attachment === null && file.error === null && (
            <progress
              value={file.progress}
              max={1}
              aria-label={`Uploading ${file.name}`}
              className="absolute inset-x-0 bottom-0 h-0.5 w-full appearance-none accent-accent [&::-webkit-progress-bar]:bg-transparent [&::-webkit-progress-value]:bg-accent"
            />
          )}
        </li>
      ))}
    </ul>
  );
}
