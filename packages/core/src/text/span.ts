export interface TextSpan {
  start: number;
  end: number;
  /** A line that is code because of the blanks before it. */
  indented?: true;
}
