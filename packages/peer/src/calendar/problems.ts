// What is wrong with a calendar. A file that cannot be read at all is an error; an event that cannot be read is left out and reported.

export type CalendarErrorCode = 'not_a_calendar' | 'too_large' | 'bad_input' | 'unauthorized' | 'refused' | 'server_away';

export class CalendarError extends Error {
  readonly code: CalendarErrorCode;
  /** Counted from 1; 0 where no line is to blame. */
  readonly line: number;

  constructor(code: CalendarErrorCode, message: string, line = 0) {
    super(message);
    this.name = 'CalendarError';
    this.code = code;
    this.line = line;
  }
}

export interface CalendarProblem {
  line: number;
  /** The property that is wrong, such as DTSTART. */
  field: string;
  text: string;
}

/** Stops the reading of one event; the reader turns it into a problem and goes on. */
export class EventError extends Error {
  readonly problem: CalendarProblem;

  constructor(line: number, field: string, text: string) {
    super(text);
    this.problem = { line, field, text };
  }
}

/** What is wrong with a property, behind its name and line. */
export const problemIn = ({ line, field }: { line: number; field: string }, problem: string): EventError =>
  new EventError(line, field, `${field} in line ${line} ${problem}`);

export const notACalendar = (text: string, line: number): CalendarError => new CalendarError('not_a_calendar', text, line);
export const tooLarge = (text: string, line?: number): CalendarError => new CalendarError('too_large', text, line);

/** The reason that a library gives, for the end of a sentence. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, 200).replace(/\.+$/, '');

/** A value from a file as a text may quote it. */
export const quote = (value: string): string => `"${value.length > 60 ? `${value.slice(0, 60)}…` : value}"`;
