import { createElement, memo, useState } from 'react';
import { clip, parseText } from '../lib/text.ts';
import type { Block, Inline } from '../lib/text.ts';

/** Untrusted text. It becomes text nodes, links to http(s) and code, and nothing else. */
export const MessageBody = memo(function MessageBody({ body }: { body: string }) {
  const [whole, setWhole] = useState(false);
  const clipped = whole ? null : clip(body);
  return (
    <div className="space-y-2 break-words [overflow-wrap:anywhere]">
      {/* Spread, not listed: the parts of one text never change places, so they need no keys. */}
      {createElement('div', { className: 'space-y-2' }, ...parseText(clipped ?? body).map(renderBlock))}
      {clipped !== null && (
        <button type="button" onClick={() => setWhole(true)} className="rounded text-sm font-medium text-accent-ink hover:underline">
          Show all of it
        </button>
      )}
    </div>
  );
});

function renderBlock(block: Block) {
  if (block.type === 'text') return createElement('p', { className: 'whitespace-pre-wrap' }, ...block.inlines.map(renderInline));
  return (
    <pre className="overflow-x-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[13px] leading-relaxed">
      {block.text}
    </pre>
  );
}

function renderInline(inline: Inline) {
  if (inline.type === 'text') return inline.text;
  if (inline.type === 'code') {
    return <code className="rounded-[5px] border border-line bg-sunken px-1 py-px font-mono text-[0.87em]">{inline.text}</code>;
  }
  return (
    <a
      href={inline.url}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent-ink underline decoration-1 underline-offset-2 hover:decoration-2"
    >
      {inline.url}
    </a>
  );
}
