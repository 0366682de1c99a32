// A prompt of the person's own peer as lines of a terminal. The words come from a peer: the caller makes them printable.

import { shortenText, timeText } from '@parley/core';
import type { PromptCard, ProposalCard } from '@parley/protocol';

const said = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const [mostDetails, mostLetters] = [20, 200];

/** A calendar gets these, whatever the summary says; the time and place come first, so that no others hide them. */
function detailLines({ details }: ProposalCard): string[] {
  const { start, end, location, ...others } = details;
  const known = Object.entries({ start, end, location, ...others }).filter(([, value]) => value !== undefined);
  const hidden = known.length - mostDetails;
  return [
    ...known.slice(0, mostDetails).map(([field, value]) => `- ${field}: ${shortenText(said(value), mostLetters)}`),
    ...(hidden > 0 ? [`- and ${hidden} more, on the page`] : []),
  ];
}

export function promptLines(card: PromptCard): string[] {
  switch (card.kind) {
    case 'consent':
      return [
        `${card.peerName} (${card.peer}) ${card.isEarly ? 'usually asks' : 'asks'}, for: ${card.intent}`,
        ...card.fields.map(({ field, reason, value }) => {
          const why = reason === null ? '' : `, because: ${reason}`;
          return `- ${field}: ${value === null ? 'no value known, so one tap cannot share it' : said(value)}${why}`;
        }),
      ];
    case 'proposal':
      return [
        `${card.peerName} (${card.peer}) and your peer propose: ${card.summary}`,
        ...detailLines(card),
        ...(card.reasoning === '' ? [] : [`Why: ${card.reasoning}`]),
        ...card.alternatives.map(({ summary }) => `Or: ${summary}`),
        ...card.actions.map(
          ({ text, reversible, missing }) =>
            `Confirming does: ${text}${reversible ? '' : ' (cannot be undone)'}${missing ? ' (your peer has no such action: it would fail)' : ''}`,
        ),
        ...(card.until === null ? [] : [`Confirm before ${timeText(card.until)}`]),
      ];
    case 'key_change':
      return [`${card.peerName} (${card.peer}): ${card.alarm}`, `Safety number: ${card.safetyNumber}`];
    case 'stranger':
      return [`${card.peer} wants to negotiate: ${card.intent}`];
  }
}
