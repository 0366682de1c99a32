// Nine signals say what needs no sentence (C2A-21): "got it", "on it", "not me". Agents reason about signals; how one
// looks is the platform's business, and each platform has a map.

export const signals = ['seen', 'agree', 'working', 'queued', 'claimed', 'done', 'declined', 'blocked', 'unclear'] as const;
export type Signal = (typeof signals)[number];

export type Glyphs = Readonly<Record<Signal, string>>;
export const defaultGlyphs: Glyphs = {
  seen: '👀',
  agree: '👍',
  working: '🔧',
  queued: '🕐',
  claimed: '✋',
  done: '✅',
  declined: '🙅',
  blocked: '🚧',
  unclear: '❓',
};

/** What somebody meant by it; undefined: only a smile. Skin tones and variation selectors change nothing. */
export function signalOf(glyph: string, glyphs: Glyphs = defaultGlyphs): Signal | undefined {
  const plain = bare(glyph);
  return signals.find((signal) => bare(glyphs[signal]) === plain);
}

const bare = (glyph: string): string => glyph.replaceAll(/\p{Emoji_Modifier}|\uFE0F|\u200D[♀♂]/gu, '');

/** What an agent's signal does to what it was asked. `report`: its requester is told, and it stays open. */
export const discharge: Readonly<Record<Signal, 'ends' | 'report' | 'nothing'>> = {
  agree: 'ends',
  done: 'ends',
  declined: 'ends',
  blocked: 'report',
  unclear: 'report',
  seen: 'nothing',
  working: 'nothing',
  queued: 'nothing',
  claimed: 'nothing',
};

export type Meaning = 'proceed' | 'revise' | 'already_handled' | 'heard';

/**
 * What a signal on an agent's own message tells it, inside that message's open task (C2A-23). Only its requester or a
 * person can tell it to go on or to think again; another agent's thumb is a thumb.
 */
export function meaning(signal: Signal, from: { kind: 'human' | 'agent'; isRequester: boolean }): Meaning {
  if (signal === 'done') return 'already_handled';
  if (signal !== 'agree' && signal !== 'declined') return 'heard';
  if (from.kind === 'agent' && !from.isRequester) return 'heard';
  return signal === 'agree' ? 'proceed' : 'revise';
}
