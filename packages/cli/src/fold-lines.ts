// Lines that a terminal would break where it likes are broken here, each part behind a mark: otherwise enough blanks in a
// quoted text could put words where the platform's own lines begin (C2A-29).

/** What stands around it, a box or a margin, takes its own: in a narrow terminal, too. */
const columns = (): number => Math.max(8, (process.stdout.columns || 100) - 12);

/** A sign that is no Latin letter may take two places; taken for so wide it never takes more. */
const wide = (sign: string): number => (sign.codePointAt(0)! < 0x300 ? 1 : 2);

/** After a blank, where there is one: only what is longer than a line is cut. Together they are what was given. */
function parts(line: string, width: number, first = width): string[] {
  const all: string[] = [];
  let part = '';
  let taken = 0;
  for (const sign of line) {
    if (taken + wide(sign) > (all.length === 0 ? first : width)) {
      const blank = sign === ' ' ? -1 : part.trimStart().lastIndexOf(' ');
      const end = blank === -1 ? part.length : part.lastIndexOf(' ') + 1;
      all.push(part.slice(0, end));
      part = part.slice(end);
      taken = Array.from(part).reduce((sum, one) => sum + wide(one), 0);
    }
    part += sign;
    taken += wide(sign);
  }
  return [...all, part];
}

/**
 * A sentence of the platform's own: what goes on in the next line is moved in, so that a name in it begins no line either.
 * `before`: what stands before the first line and takes room from it.
 */
export const foldWords = (text: string, width = columns(), before = 0): string[] =>
  text.split('\n').flatMap((line) =>
    parts(line, width, Math.max(8, width - before))
      .map((part) => part.trim())
      .filter((part, n) => n === 0 || part !== '')
      .map((part, n) => (n === 0 ? part : `  ${part}`)),
  );

/** The platform's own lines, with something quoted in each: what does not fit goes on behind the mark. */
export const foldLines = (text: string, width = columns()): string[] =>
  text.split('\n').flatMap((line) => parts(line, width).map((part, n) => (n === 0 ? part : `│ ${part}`)));

/** A text of somebody else's: every line of it behind the mark. */
export const foldBlock = (text: string, width = columns()): string[] =>
  text.split('\n').flatMap((line) => parts(line, width).map((part) => `│ ${part}`));

/** A line of a tree: what does not fit goes on beside its branches. */
export function foldTree(line: string, width: number): string[] {
  const [branches] = /^[│├└─ ]*/.exec(line)!;
  const beside = branches.replaceAll('├──', '│  ').replaceAll('└──', '   ');
  const rest = line.slice(branches.length);
  if (line.length <= width) return [line];
  return foldWords(rest, Math.max(8, width - branches.length - 2)).map((part, n) => (n === 0 ? `${branches}${part}` : `${beside}${part}`));
}
