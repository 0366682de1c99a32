// A prompt of the person's own peer as lines of a terminal. The words come from a peer: the caller makes them printable.

import { shortenText, timeText, windowRows } from '@parley/core';
import type { PromptCard, ProposalCard } from '@parley/protocol';
import { count } from './output.ts';

const said = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Free times as the page words them, in the zone of this machine. Undefined for any other value. */
const timeLines = (value: unknown): string[] | undefined =>
  (Array.isArray(value) ? windowRows(value, new Intl.DateTimeFormat().resolvedOptions().timeZone) : undefined)?.map((row) => `  ${row}`);

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
        ...card.fields.flatMap(({ field, reason, value, choices }) => {
          const why = reason === null ? '' : `, because: ${reason}`;
          const times = timeLines(value);
          if (times) return [`- ${field}${why}:`, ...times];
          const perhaps = choices.length === 0 ? '' : `, perhaps ${choices.map(said).join(', ')}`;
          return [`- ${field}: ${value === null ? `no value known; share one with --value ${field}=…${perhaps}` : said(value)}${why}`];
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
        ...(card.conflict === null ? [] : [`Your calendar has something else then: ${card.conflict}. Confirm anyway to keep both.`]),
        ...(card.until === null ? [] : [`Confirm before ${timeText(card.until)}`]),
      ];
    case 'escalation':
      return [
        `${card.peerName} (${card.peer}) and your peer need you, for: ${card.intent}`,
        ...(card.isPaused ? ['Your peer could not write a valid packet, so the negotiation is paused. Try again, or end it.'] : []),
        ...[card.question, card.conflict].flatMap((words) => words ?? []),
        ...card.alternatives.map(({ summary, reason }) => `Or: ${summary}${reason === null ? '' : ` (${reason})`}`),
      ];
    case 'expansion':
      return [
        `${card.peerName} (${card.peer}) ${card.isFork ? 'split something off' : 'changed what it is about'}: ${card.intent}`,
        ...(card.before === '' ? [] : [`${card.isFork ? 'It was split off from' : 'Before'}: ${card.before}`]),
        ...(card.reason === null ? [] : [`Why: ${card.reason}`]),
        ...(card.asked.length === 0 ? [] : [`They also ask for: ${card.asked.join(', ')}`]),
        `They have already: ${card.shared.length === 0 ? 'nothing' : card.shared.join(', ')}`,
      ];
    case 'key_change':
      return [`${card.peerName} (${card.peer}): ${card.alarm}`, `Safety number: ${card.safetyNumber}`];
    case 'stranger':
      return [
        `${card.peer} wants to negotiate: ${card.intent}`,
        ...(card.requests > 1 ? [`and has ${count(card.requests - 1, 'more request')}`] : []),
      ];
  }
}
