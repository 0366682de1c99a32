// The progress of long work, and its cancellation.

export interface Progress {
  /** The current act, like "Saving rows". */
  act: string;
  done: number;
  total: number;
  unit: 'row' | 'byte' | 'file' | 'peer' | 'step' | 'message' | 'event';
}

/** A receiver that throws `CanceledError` ends the work, which then undoes its changes. */
export type OnProgress = (progress: Progress) => void;

export class CanceledError extends Error {
  constructor() {
    super('The work was canceled.');
    this.name = 'CanceledError';
  }
}
