// Lines that a terminal would break where it likes are broken here, each part behind a mark: whoever writes enough blanks
// into what is quoted could else put words where the platform's own lines begin (C2A-29).

/** What stands around it, a box or a margin, takes its own: in a narrow terminal, too. */
const columns = (): number => Math.max(8, (process.stdout.columns || 100) - 12);

/** What is no Latin letter may take two places; taken for so wide it never takes more. */
const wide = (sign: string): number => (sign.codePointAt(0)! < 0x300 ? 1 : 2);

function parts(line: string, width: number): string[] {
  const all: string[] = [];
  let part = '';
  let taken = 0;
  for (const sign of line) {
    if (taken + wide(sign) > width) {
      all.push(part);
      [part, taken] = ['', 0];
    }
    part += sign;
    taken += wide(sign);
  }
  return [...all, part];
}

/** The platform's own lines, with something quoted in each: what does not fit goes on behind the mark. */
export const foldLines = (text: string, width = columns()): string[] =>
  text.split('\n').flatMap((line) => parts(line, width).map((part, n) => (n === 0 ? part : `│ ${part}`)));

/** A text of somebody else's: every line of it behind the mark. */
export const foldBlock = (text: string, width = columns()): string[] =>
  text.split('\n').flatMap((line) => parts(line, width).map((part) => `│ ${part}`));
