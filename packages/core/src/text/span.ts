export interface TextSpan {
  start: number;
  end: number;
  /** A line that is code because of the blanks before it. */
  indented?: true;
}

/** The character before `at`, whole even when it takes two units; empty at the beginning. */
export function signBefore(text: string, at: number): string {
  const unit = text.slice(Math.max(0, at - 1), at);
  const pair = at > 1 && unit >= '\uDC00' && unit <= '\uDFFF' ? text.codePointAt(at - 2)! : 0;
  return pair > 0xffff ? String.fromCodePoint(pair) : unit;
}
