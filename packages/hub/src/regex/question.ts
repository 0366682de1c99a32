// What is asked about regular expressions, and what the thread that works on it says and hears.

/** `output`: of a manifest, as JSON; whether a text fits it is asked where its schema has patterns. */
export type MatchQuestion =
  | { kind: 'match' | 'contains'; source: string; text: string }
  | { kind: 'compile'; source: string }
  | { kind: 'judge'; output: string; text: string };

/** What it found, by kind: whether it matches, what is wrong with the pattern or null, and what a manifest's output check says. */
export type MatchAnswer = { tooSlow: true } | { tooSlow: false; value: unknown };

/** The same for the thread. Lists, because each object in it would cost more to copy than to match; and each text once. */
export interface Batch {
  kinds: MatchQuestion['kind'][];
  /** The pattern, or the output. */
  abouts: string[];
  /** Which of the texts. */
  places: number[];
  texts: string[];
  /** It goes on to the next question for so long. */
  sliceMs: number;
}

/** Of as many questions as there was time for, and how much time of the thread each took. `size`: of a pattern that is small enough to be matched anywhere. */
export interface MatchBatch {
  answers: { value: unknown; ms: number; size?: number | undefined }[];
}

/** As the thread says it. */
export interface ThreadReply {
  values: unknown[];
  ms: number[];
  /** 0: not small. */
  sizes: number[];
}

/** What both sides see while it works. `at`: which question it is at, counted from 1; 0 when it is at none. */
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
