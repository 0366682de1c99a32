// A prompt of the person's own peer as lines of a terminal. The words come from a peer: the caller makes them printable.

import { timeText } from '@parley/core';
import type { PromptCard } from '@parley/protocol';

const said = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

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
        ...(card.reasoning === '' ? [] : [`Why: ${card.reasoning}`]),
        ...card.alternatives.map(({ summary }) => `Or: ${summary}`),
        ...card.actions.map(({ text, reversible }) => `Confirming does: ${text}${reversible ? '' : ' (cannot be undone)'}`),
        ...(card.until === null ? [] : [`Confirm before ${timeText(card.until)}`]),
      ];
    case 'key_change':
      return [`${card.peerName} (${card.peer}): ${card.alarm}`, `Safety number: ${card.safetyNumber}`];
    case 'stranger':
      return [`${card.peer} wants to negotiate: ${card.intent}`];
  }
}
