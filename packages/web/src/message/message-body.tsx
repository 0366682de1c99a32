import { addressesIn } from '@parley/core';
import type { Address } from '@parley/core';
import { createElement, memo, useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import { useBook } from '../forecast/context.ts';
import { clip, parseText } from '../lib/message-text.ts';
import type { Inline } from '../lib/inline-text.ts';
import { followLink } from '../lib/router.ts';
import type { Block, Item } from '../lib/message-text.ts';
import { useMe, useSelect } from '../state/context.ts';

/** Untrusted text. It becomes text nodes, lists, tables, quotes, code, emphasis, links to the web or to the form of a
 * request, and marked addresses, and nothing else. */
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
  const blocks = useMemo(() => parseText(clipped ?? body, addressesIn(body, book)), [clipped, body, book]);
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

function renderBlock(block: Block, mine: Mine): ReactNode {
  switch (block.type) {
    case 'text':
      return createElement('p', { className: 'whitespace-pre-wrap' }, ...renderInlines(block.inlines, mine));
    case 'heading':
      return createElement('p', { className: 'font-semibold whitespace-pre-wrap' }, ...renderInlines(block.inlines, mine));
    case 'code':
      return (
        // Scrolled by keyboard as well.
        <pre
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          tabIndex={0}
          className="overflow-x-auto rounded-lg border border-line bg-sunken px-3 py-2 font-mono text-[13px] leading-relaxed"
        >
          {block.text}
        </pre>
      );
    case 'table':
      return renderTable(block, mine);
    case 'quote':
      return createElement(
        'blockquote',
        { className: 'space-y-2 border-l-2 border-line-strong pl-3 text-ink-2' },
        ...block.blocks.map((inner) => renderBlock(inner, mine)),
      );
    case 'list':
      return createElement(
        block.ordered ? 'ol' : 'ul',
        { className: `space-y-0.5 pl-6 ${block.ordered ? 'list-decimal' : 'list-disc'}` },
        ...block.items.map((item) => renderItem(item, mine)),
      );
  }
}

const sides = { left: 'text-left', center: 'text-center', right: 'text-right' } as const;

/** As wide as it has to be: it is scrolled, and not the page. */
function renderTable({ align, rows }: Block & { type: 'table' }, mine: Mine) {
  const row = (cells: Inline[][], kind: 'th' | 'td') =>
    createElement(
      'tr',
      { className: kind === 'td' ? 'border-t border-line' : '' },
      ...cells.map((cell, n) =>
        createElement(
          kind,
          { className: `px-3 py-1.5 align-top ${sides[align[n]!]} ${kind === 'th' ? 'font-semibold' : ''}` },
          ...renderInlines(cell, mine),
        ),
      ),
    );
  const [names = [], ...below] = rows;
  return (
    <div className="w-fit max-w-full overflow-x-auto rounded-lg border border-line [overflow-wrap:normal]">
      <table className="text-sm">
        <thead className="bg-sunken">{row(names, 'th')}</thead>
        {createElement('tbody', null, ...below.map((cells) => row(cells, 'td')))}
      </table>
    </div>
  );
}

const renderItem = ({ number, blocks }: Item, mine: Mine) =>
  createElement(
    'li',
    { className: 'space-y-1 marker:text-ink-3', ...(number === undefined ? {} : { value: number }) },
    ...blocks.map((block) => renderBlock(block, mine)),
  );

const renderInlines = (inlines: readonly Inline[], mine: Mine): ReactNode[] => inlines.map((inline) => renderInline(inline, mine));

function renderInline(inline: Inline, mine: Mine): ReactNode {
  switch (inline.type) {
    case 'text':
      return inline.text;
    case 'address':
      return renderAddress(inline.text, inline.address, mine);
    case 'code':
      return <code className="rounded-[5px] border border-line bg-sunken px-1 py-px font-mono text-[0.87em]">{inline.text}</code>;
    case 'strong':
      return createElement('strong', { className: 'font-semibold' }, ...renderInlines(inline.inlines, mine));
    case 'emphasis':
      return createElement('em', null, ...renderInlines(inline.inlines, mine));
    case 'view':
      return (
        <a href={inline.path} onClick={followLink} className={linkLook}>
          {inline.text}
        </a>
      );
    case 'link':
      return (
        <>
          <a
            href={inline.url}
            target="_blank"
            rel="noopener noreferrer"
            {...(inline.text === inline.url ? {} : { title: inline.url })}
            className={linkLook}
          >
            {inline.text}
          </a>
          {inline.host !== undefined && <span className="text-ink-3"> ({inline.host})</span>}
        </>
      );
  }
}

const linkLook = 'text-accent-ink underline decoration-1 underline-offset-2 hover:decoration-2';

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
