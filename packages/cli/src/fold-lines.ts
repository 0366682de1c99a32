// Breaks long lines and marks each part. A terminal breaks lines without a mark: enough blanks in a quoted text could then
// put its words where the platform's own lines begin (C2A-29).

/** Leaves room for the box or margin around the text, also in a narrow terminal. */
const columns = (): number => Math.max(8, (process.stdout.columns || 100) - 12);

/** A character beyond Latin may take two columns, so each counts as two. */
const columnsOf = (sign: string): number => (sign.codePointAt(0)! < 0x300 ? 1 : 2);

/** Breaks after a blank if it can, else inside the word. The parts joined are the line again. */
function parts(line: string, width: number, first = width): string[] {
  const all: string[] = [];
  let part = '';
  let columnsTaken = 0;
  for (const sign of line) {
    if (columnsTaken + columnsOf(sign) > (all.length === 0 ? first : width)) {
      const blank = sign === ' ' ? -1 : part.trimStart().lastIndexOf(' ');
      const end = blank === -1 ? part.length : part.lastIndexOf(' ') + 1;
      all.push(part.slice(0, end));
      part = part.slice(end);
      columnsTaken = Array.from(part).reduce((sum, one) => sum + columnsOf(one), 0);
    }
    part += sign;
    columnsTaken += columnsOf(sign);
  }
  return [...all, part];
}

/**
 * Folds a sentence of the platform. Continued lines are indented, so that a name in the sentence begins no line.
 * `before`: the columns that are taken before the first line.
 */
export const foldWords = (text: string, width = columns(), before = 0): string[] =>
  text.split('\n').flatMap((line) =>
    parts(line, width, Math.max(8, width - before))
      .map((part) => part.trim())
      .filter((part, n) => n === 0 || part !== '')
      .map((part, n) => (n === 0 ? part : `  ${part}`)),
  );

/** Folds lines of the platform that quote something: continued lines get a mark. */
export const foldLines = (text: string, width = columns()): string[] =>
  text.split('\n').flatMap((line) => parts(line, width).map((part, n) => (n === 0 ? part : `│ ${part}`)));

/** Folds a text of somebody else: every line gets a mark. */
export const foldBlock = (text: string, width = columns()): string[] =>
  text.split('\n').flatMap((line) => parts(line, width).map((part) => `│ ${part}`));

/** Folds a line of a tree: continued lines keep its branches. */
export function foldTree(line: string, width: number): string[] {
  const [branches] = /^[│├└─ ]*/.exec(line)!;
  const continued = branches.replaceAll('├──', '│  ').replaceAll('└──', '   ');
  const rest = line.slice(branches.length);
  if (line.length <= width) return [line];
  return foldWords(rest, Math.max(8, width - branches.length - 2)).map((part, n) =>
    n === 0 ? `${branches}${part}` : `${continued}${part}`,
  );
}
