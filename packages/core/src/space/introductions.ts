// Which capabilities a negotiation introduces to its person: those that help here first (A2C-39).

export interface KnownNegotiation {
  id: string;
  peer: string;
  kind: 'pair' | 'group' | 'outside';
  intent: string;
}

export type Introduction = 'person' | 'group' | 'project' | 'memory';

/** After so many, the memory has something to tell, and nothing else is new. */
export const experienced = 10;

/** `known`: every negotiation of the person, with the one of this ID. The introductions stay with it. */
export function introductionsFor(id: string, known: readonly KnownNegotiation[]): Introduction[] {
  const own = known.find((one) => one.id === id);
  if (!own || known.length > experienced) return [];
  const isFirst = (fits: (one: KnownNegotiation) => boolean): boolean => fits(own) && known.filter(fits).length === 1;
  return [
    ...(isFirst(({ kind, peer }) => kind === 'pair' && peer === own.peer) ? (['person'] as const) : []),
    ...(isFirst(({ kind }) => kind === 'group') ? (['group'] as const) : []),
    ...(isFirst(({ intent }) => soundsLikeProject(intent)) ? (['project'] as const) : []),
    ...(known.length === experienced ? (['memory'] as const) : []),
  ];
}

// When a person hears of shared spaces: with their first project (A2C-39).

const words =
  /(?<!\p{L})(?:project|campaign|conference|exhibition|festival|game design|holiday|hackathon|house move|launch|playtest|road ?map|trip|vacation|wedding|workshop)s?(?!\p{L})/iu;

/** An intent that is more than one appointment: something that goes on, with decisions and next actions. */
export const soundsLikeProject = (intent: string): boolean => words.test(intent);
