// Phrases as data, one form a line: (alternatives), (what may be left out)? and {named parts}. They are built into patterns when their
// module is loaded, before anybody waits for an answer.

export interface PhraseTable {
  /** Words of courtesy that may stand before a phrase that begins with `…`, and after one that ends so. */
  before: string;
  after: string;
  /** A question mark may end the words of courtesy. */
  mayAsk?: true;
  parts: Readonly<Record<string, string>>;
  phrases: string;
}

const linesOf = (text: string): string[] => text.trim().split(/\s*\n\s*/);
const alternatives = (text: string): string => linesOf(text).join('|');

/** A name stands for any line of its part. */
export function patternOf(form: string, parts: Readonly<Record<string, string>>): RegExp {
  const written = (text: string): string =>
    text.replaceAll(/\{([a-z]+)\}/g, (_, name: string) => `(${written(alternatives(parts[name]!))})`);
  return new RegExp(written(form).replaceAll(/\((?!\?)/g, '(?:'), 'u');
}

/** Two readings of the same words of courtesy double with each that follows, so nobody may write many of them. */
export const courtesies = '{0,8}';

/** For a whole clause. The words of courtesy are many: they stand in the pattern once for all phrases that may have them. */
export function clausePattern({ before, after, mayAsk, parts, phrases }: PhraseTable): RegExp {
  const courtesy = {
    before: `((${alternatives(before)}) )${courtesies}`,
    after: `( (${alternatives(after)}))${courtesies}${mayAsk ? String.raw`( ?\?)?` : ''}`,
  };
  const kindOf = (line: string): string => `${line.startsWith('…') ? '{before}' : ''}…${line.endsWith('…') ? '{after}' : ''}`;
  const kinds = Map.groupBy(linesOf(phrases), kindOf);
  const forms = [...kinds].map(([kind, lines]) => kind.replace('…', () => `(${lines.join('|').replaceAll('…', '')})`));
  return patternOf(`^(${forms.join('|')})$`, { ...parts, ...courtesy });
}
