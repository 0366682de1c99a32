// Why something that looks like an address calls nobody (PAP-18), in words: the same before it is sent and after.

import type { UnreadCause } from './address.ts';

const because: Readonly<Record<UnreadCause, string>> = {
  look_alike: 'contains a character that no handle has',
  quoted: 'is inside quotation marks',
  indented: 'is in an indented line, which is code',
};

/** `written`: as its author wrote it, sign included; null where the text has changed since. Undefined: for another cause. */
export const unreadText = (cause: string | null | undefined, written: string | null): string | undefined => {
  const why = (because as Record<string, string | undefined>)[cause ?? ''];
  return why && `${written ?? 'An address'} ${why}, so it calls nobody.`;
};
