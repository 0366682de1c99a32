import { useEffect, useState } from 'react';
import { useSelect, useWorkspace } from '../state/context.ts';
import { excerpt } from './search/search-excerpt.ts';

/** What somebody said that an entry is about, so that one need not leave to know it. Nothing where one may not read it. */
export function MessageQuote({ messageId }: { messageId: string }) {
  const { client } = useWorkspace();
  const [fetched, setFetched] = useState<string | null>(null);
  // As it is now, where its conversation is on the page; it may be edited or deleted while one looks.
  const here = useSelect((state) => Object.values(state.timelines).find(({ messages }) => messages[messageId])?.messages[messageId]);
  const known = here !== undefined;
  useEffect(() => {
    if (known) return undefined;
    let gone = false;
    client.call('getMessage', { params: { messageId } }).then(
      ({ body }) => gone || setFetched(body),
      () => {},
    );
    return () => {
      gone = true;
    };
  }, [client, messageId, known]);
  const body = here ? here.body : fetched;
  if (!body) return null;
  return <blockquote className="mt-1 border-l-2 border-line pl-2.5 text-sm break-words text-ink-2">{excerpt(body, '')}</blockquote>;
}
