import { useRef, useState } from 'react';
import { Button } from './button.tsx';

/** Clipboards can be refused (no permission, no https); the text is then selected, ready for the keyboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

export function CopyLink({ url, label }: { url: string; label: string }) {
  const input = useRef<HTMLInputElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    input.current?.select();
    setCopied(await copyText(url));
  };
  return (
    <div className="flex gap-2">
      <input
        ref={input}
        readOnly
        value={url}
        aria-label={label}
        onFocus={(event) => event.target.select()}
        className="field min-w-0 flex-1 font-mono text-[13px]"
      />
      <Button look="primary" icon={copied ? 'check' : 'copy'} onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </Button>
    </div>
  );
}
