// The questions about regular expressions, and the messages between the hub and the thread that answers them.

/** `output`: of a manifest, as JSON; whether a text fits it is asked where its schema has patterns. */
export type MatchQuestion =
  | { kind: 'match' | 'contains'; source: string; text: string }
  | { kind: 'compile'; source: string }
  | { kind: 'judge'; output: string; text: string };

/** The answer, by kind: whether the text matches, the pattern's problem or null, or the verdict on a manifest's output. */
export type MatchAnswer = { tooSlow: true } | { tooSlow: false; value: unknown };

/** The same for the thread. Lists, because each object in it would cost more to copy than to match; and each text once. */
export interface Batch {
  kinds: MatchQuestion['kind'][];
  /** The pattern, or the output. */
  abouts: string[];
  /** Which of the texts. */
  places: number[];
  texts: string[];
  /** The thread continues with the next question for this long. */
  sliceMs: number;
}

/** The answers there was time for, and the thread's time for each. `size` is set for a pattern that is small enough to match anywhere. */
export interface MatchBatch {
  answers: { value: unknown; ms: number; size?: number | undefined }[];
}

/** The reply in the thread's own form. */
export interface ThreadReply {
  values: unknown[];
  ms: number[];
  /** 0: not small. */
  sizes: number[];
}

/** Memory that both sides share. `at` is the number of the current question, from 1; 0 means none. */
export interface ThreadStanding {
  at: Int32Array;
  isCompiling: Int32Array;
  /** By the clock, and by the time that the thread itself has had: on a busy machine it is not to be blamed for others. */
  since: Float64Array;
  sinceCpu: Float64Array;
}

export interface ThreadData {
  buffer: SharedArrayBuffer;
  /** Its work can wait for everybody else. */
  background: boolean;
}

export const progressBytes = 24;

export const progressIn = (buffer: SharedArrayBuffer): ThreadStanding => ({
  at: new Int32Array(buffer, 0, 1),
  isCompiling: new Int32Array(buffer, 4, 1),
  since: new Float64Array(buffer, 8, 1),
  sinceCpu: new Float64Array(buffer, 16, 1),
});

/** A clock that all threads share and nobody sets. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}

export const cpuMs = ({ user, system }: NodeJS.CpuUsage): number => (user + system) / 1000;
