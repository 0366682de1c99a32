// What is owed, in a sentence.

import type { Obligation } from '@parley/protocol';

export interface OwedNames {
  myId: string;
  /** A member's handle with its sign. */
  called: (id: string) => string;
}

const held: Record<Obligation['blocks'], string> = {
  halted: ', and blocked until then',
  degraded: ', and can do only part of the work until then',
  none: '. It is not urgent',
};

export function oweSentence({ authorId, recipientId, holderId, blocks, reciprocalOf }: Obligation, { myId, called }: OwedNames): string {
  if (reciprocalOf !== null) return `${called(authorId)} did not understand what you asked. Say more, and it gets your request again.`;
  const whose = recipientId === myId ? 'your reply' : `a reply that ${called(recipientId)} owes`;
  const further = holderId === myId ? '' : ` ${called(holderId)} gets the reminders now.`;
  return `${called(authorId)} is waiting for ${whose}${held[blocks]}.${further}`;
}

export function owedSentence({ authorId, recipientId, holderId, returns, level }: Obligation, { myId, called }: OwedNames): string {
  const who = authorId === myId ? 'You are waiting' : `${called(authorId)} is waiting`;
  const up = level === 0 || holderId === recipientId ? '' : ` It was escalated to ${called(holderId)}.`;
  const often = returns === 0 ? '' : ` ${returns === 1 ? 'One reminder' : `${returns} reminders`} so far.`;
  return `${who} for ${called(recipientId)}.${up}${often}`;
}
