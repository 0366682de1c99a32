// Reads "game night with @ben, @cleo and @dan on Friday, at least 3": the words of the requester, without those that name the others.

export interface Arrangement {
  /** Handles with their sign, or addresses of peers. */
  with: string[];
  intent: string;
  /** So many confirmations are enough, the requester's too; null: everybody's. */
  quorum: number | null;
}

const person = String.raw`(?:agent:[^\s,;]+@[^\s,;]+|@[\p{L}\p{N}](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}])?)(?=$|[\s,;.!?:])`;
const people = new RegExp(String.raw`(?:^|\s)with\s+(${person}(?:(?:\s*[,;]\s*|\s+)(?:(?:and|&)\s+)?(?:with\s+)?${person})*)`, 'giu');
const numbers = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
const enough = new RegExp(
  String.raw`[\s,;(]+(?:if\s+)?(?:at least|a quorum of|quorum)\s+(\d{1,2}|${numbers.join('|')})(?:\s+(?:of us|people|of them))?(?:\s+(?:can make it|can come|can|come|are enough))?(?=$|[\s,;.!?)])\)?`,
  'iu',
);

/** Undefined: it names nobody, somebody outside the list, or nothing to arrange. */
export function readArrangement(text: string): Arrangement | undefined {
  const found = [...text.matchAll(people)];
  const [only] = found;
  if (!only || found.length > 1 || /(?:^|\s)@/.test(text.replace(only[0], ' '))) return undefined;
  const names = only[1]!.match(new RegExp(person, 'giu'))!;
  const others = names.filter((name, at) => names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) === at);
  const rest = text.replace(only[0], ' ');
  const said = others.length > 1 ? enough.exec(` ${rest}`) : null;
  const intent = (said ? ` ${rest}`.replace(said[0], ' ') : rest)
    .replaceAll(/[`*_\p{Cc}]/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[,;])/g, '')
    .replace(/^[\s,:;]+|[\s,:;.!?]+$/g, '');
  if (!/\p{L}{2}/u.test(intent) || intent.length > 500) return undefined;
  return { with: others, intent, quorum: said ? numberOf(said[1]!) : null };
}

const numberOf = (word: string): number => (/\d/.test(word) ? Number(word) : numbers.indexOf(word.toLowerCase()) + 2);
