import { addresses } from '@parley/core';
import type { Address } from '@parley/core';
import { createElement, memo, useMemo, useState } from 'react';
import { useBook } from '../floor/context.ts';
import { clip, parseText } from '../lib/text.ts';
import type { Block, Inline } from '../lib/text.ts';
import { useMe, useSelect } from '../state/context.ts';

/** Untrusted text. It becomes text nodes, links to http(s), code and marked addresses, and nothing else. */
export const MessageBody = memo(function MessageBody({ body }: { body: string }) {
  const [whole, setWhole] = useState(false);
  const book = useBook();
  const { id, handle } = useMe();
  const roles = useSelect((state) => state.roles);
  const mine = useMemo(
    () => new Set([handle, ...Object.values(roles).flatMap((role) => (role.holderIds.includes(id) ? role.handle : []))]),
    [id, handle, roles],
  );
  const clipped = whole ? null : clip(body);
  // Of the whole text: a fence that is open where it is clipped may be closed further on.
  const blocks = useMemo(() => parseText(clipped ?? body, addresses(body, book)), [clipped, body, book]);
  return (
    <div className="space-y-2 break-words [overflow-wrap:anywhere]">
      {/* Spread, not listed: the parts of one text never change places, so they need no keys. */}
      {createElement('div', { className: 'space-y-2' }, ...blocks.map((block) => renderBlock(block, mine)))}
      {clipped !== null && (
        <button type="button" onClick={() => setWhole(true)} className="rounded text-sm font-medium text-accent-ink hover:underline">
          Show all of it
        </button>
      )}
    </div>
  );
});

type Mine = ReadonlySet<string>;

function renderBlock(block: Block, mine: Mine) {
  if (block.type === 'text')
    return createElement('p', { className: 'whitespace-pre-wrap' }, ...block.inlines.map((inline) => renderInline(inline, mine)));
  return (
    <pre className="overflow-x-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[13px] leading-relaxed">
      {block.text}
    </pre>
  );
}

function renderInline(inline: Inline, mine: Mine) {
  if (inline.type === 'text') return inline.text;
  if (inline.type === 'address') return renderAddress(inline.text, inline.address, mine);
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

const looks = {
  agent: 'bg-accent-soft text-accent-ink',
  person: 'bg-person-soft text-person',
  mine: 'bg-notice-soft text-notice font-semibold',
} as const;

/** `mine`: our handle, and those of roles we hold. */
function renderAddress(text: string, { kind, handle }: Address, mine: Mine) {
  if (kind === 'unknown') return text;
  const people = kind === 'human' || kind === 'all_humans' || kind === 'any_human';
  const me = kind === 'all_humans' || ((kind === 'human' || kind === 'role') && mine.has(handle));
  const look = me ? 'mine' : people ? 'person' : 'agent';
  return (
    <span data-address={look} className={`rounded-[5px] px-0.5 font-medium ${looks[look]}`}>
      {text}
    </span>
  );
}
