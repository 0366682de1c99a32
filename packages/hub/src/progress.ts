// Long work says how far it is.

export interface Progress {
  /** What is done now: "Saving rows". */
  act: string;
  done: number;
  total: number;
  unit: 'row' | 'byte' | 'file' | 'peer' | 'step' | 'message' | 'event' | 'scenario';
}
/** A receiver that throws `CanceledError` ends the work, which then takes back what it began. */
export type OnProgress = (progress: Progress) => void;

export class CanceledError extends Error {
  constructor() {
    super('The work was canceled.');
    this.name = 'CanceledError';
  }
}
