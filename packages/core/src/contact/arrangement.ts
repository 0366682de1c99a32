// Reads "dinner with @bob on Friday": the words of the requester, without those that name the other person.

export interface Arrangement {
  /** A handle with its sign, or the address of a peer. */
  with: string;
  intent: string;
}

const person = /(?:^|\s)with\s+(agent:[^\s,;]+@[^\s,;]+|@[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?)(?=$|[\s,;.!?:])/giu;

/** Undefined: it names nobody, several people, or nothing to arrange. */
export function readArrangement(text: string): Arrangement | undefined {
  const found = [...text.matchAll(person)];
  const [only] = found;
  if (!only || found.length > 1 || /(?:^|\s)@/.test(text.replace(only[0], ' '))) return undefined;
  const intent = text
    .replace(only[0], ' ')
    .replaceAll(/[`*_\p{Cc}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s,:;]+|[\s,:;.!?]+$/g, '');
  return /\p{L}{2}/u.test(intent) && intent.length <= 500 ? { with: only[1]!, intent } : undefined;
}
