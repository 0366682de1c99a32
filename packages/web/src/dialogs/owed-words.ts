// What is owed, in a sentence.

import type { Obligation } from '@parley/protocol';

export interface OwedNames {
  myId: string;
  /** A member's handle with its sign. */
  called: (id: string) => string;
}

const held: Record<Obligation['blocks'], string> = {
  halted: 'and can do nothing until then',
  degraded: 'and can do only part of it until then',
  none: 'which can wait',
};

export function oweSentence({ authorId, recipientId, holderId, blocks, reciprocalOf }: Obligation, { myId, called }: OwedNames): string {
  if (reciprocalOf !== null) return `It is not clear to ${called(authorId)} what you asked: say more, and it comes back to them.`;
  const whose = recipientId === myId ? 'of yours' : `that ${called(recipientId)} has not given`;
  const further = holderId === myId ? '' : ` ${called(holderId)} is reminded of it now.`;
  return `${called(authorId)} waits for an answer ${whose}, ${held[blocks]}.${further}`;
}

export function owedSentence({ authorId, recipientId, holderId, returns, level }: Obligation, { myId, called }: OwedNames): string {
  const who = authorId === myId ? 'You wait' : `${called(authorId)} waits`;
  const up = level === 0 || holderId === recipientId ? '' : ` It went up to ${called(holderId)}.`;
  const often = returns === 0 ? '' : ` ${returns === 1 ? 'One reminder' : `${returns} reminders`} so far.`;
  return `${who} for ${called(recipientId)}.${up}${often}`;
}
