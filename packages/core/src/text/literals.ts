// What a text must hold for a pattern of ours to match it. A pattern of many alternatives is slow to say no, and nearly
// every text is a no: looking for the beginning of one of a few words first says the same, sooner.
//
// Reads the patterns of this package and no others: literals, `(?:…|…)`, `?`, `*`, `+`, `{m,n}`, `.`, `\p{…}`, `[…]`.

/** Beginnings of words, of which every text that the pattern matches as a whole holds one. */
export function wordsNeeded(pattern: string): string[] {
  const reader = { pattern, at: 0 };
  const { words } = branches(reader, true);
  if (reader.at !== pattern.length) throw new Error(`Not read to its end: ${pattern.slice(reader.at)}`);
  if (words === undefined) throw new Error(`Needs no word: ${pattern}`);
  return [...new Set(words)];
}

interface Reader {
  pattern: string;
  at: number;
}

interface Part {
  /** One of these is needed; undefined: none is. */
  words: string[] | undefined;
  /** What stands behind it begins a word. */
  blank: boolean;
}

/** All branches must need something, or the whole needs nothing. `start`: a word begins here. */
function branches(reader: Reader, start: boolean): Part {
  const found = [sequence(reader, start)];
  while (reader.pattern[reader.at] === '|') {
    reader.at++;
    found.push(sequence(reader, start));
  }
  const needed = found.map(({ words }) => words);
  return {
    words: needed.includes(undefined) ? undefined : needed.flatMap((words) => words!),
    blank: found.every(({ blank }) => blank),
  };
}

/** Of what it needs one after the other, that which is least often met: the one whose shortest word is longest. */
function sequence(reader: Reader, start: boolean): Part {
  const { pattern } = reader;
  let best: string[] | undefined;
  const weigh = (one: string[] | undefined): void => {
    if (one && shortest(one) > (best ? shortest(best) : 0)) best = one;
  };
  let word = '';
  let blank = start;
  let begins = start;
  const endWord = (): void => {
    if (word !== '' && begins) weigh([word]);
    word = '';
  };
  while (reader.at < pattern.length && pattern[reader.at] !== '|' && pattern[reader.at] !== ')') {
    const letter = /^[\p{L}\p{N}']/u.exec(pattern.slice(reader.at, reader.at + 2))?.[0];
    if (letter !== undefined) {
      reader.at += letter.length;
      if (word === '') begins = blank;
      blank = false;
      if (isOptional(reader)) endWord();
      else word += letter;
      continue;
    }
    endWord();
    const found: Part = pattern[reader.at] === '(' ? group(reader, blank) : sign(reader);
    const optional = isOptional(reader);
    if (!optional) weigh(found.words);
    blank = found.blank && (!optional || blank);
  }
  endWord();
  return { words: best, blank };
}

const shortest = (words: readonly string[]): number => Math.min(...words.map((word) => word.length));

function group(reader: Reader, start: boolean): Part {
  if (!reader.pattern.startsWith('(?:', reader.at)) throw new Error(`Cannot be read: ${reader.pattern.slice(reader.at, reader.at + 9)}`);
  reader.at += 3;
  const found = branches(reader, start);
  // Behind its bracket.
  reader.at++;
  return found;
}

/** A blank, a class, a sign: nothing that could be looked for. */
function sign(reader: Reader): Part {
  const one = /^(?:\\p\{\w+\}|\\.|\[[^\]]*\]|.)/su.exec(reader.pattern.slice(reader.at))![0];
  reader.at += one.length;
  return { words: undefined, blank: one === ' ' };
}

/** Whether what was just read may also be left out; behind that in any case. */
function isOptional(reader: Reader): boolean {
  const rest = reader.pattern.slice(reader.at, reader.at + 9);
  const none = /^(?:[?*]|\{0,\d+\})/u.exec(rest)?.[0];
  reader.at += (none ?? /^(?:\+|\{[1-9]\d*,\d+\})/u.exec(rest)?.[0] ?? '').length;
  return none !== undefined;
}
