/** Seeded chance (mulberry32): a failure prints its seed, and the seed repeats the run. */
export class Random {
  readonly seed: number;
  private state: number;

  constructor(seed: number) {
    this.seed = seed;
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  pick<T>(items: readonly T[]): T {
    return items[this.int(items.length)]!;
  }

  bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => this.int(256));
}

// How much a test tries. `npm test` has to end while somebody waits for it. `npm run test:full` adds the second engine and the
// files named `*.full.test.ts`; `npm run soak` tries what is tried thousands of times as often as was promised.

export const soaking = process.env['PARLEY_SOAK'] === '1';

/** Set by vitest.config.ts in the mode `full`. */
export const testingInFull = process.env['PARLEY_TEST_FULL'] === '1';

/** So many in `npm test`, in `npm run soak`, and in `npm run test:full` where that should be more than in `npm test`. */
export const often = (usual: number, soak: number, full = usual): number => (soaking ? soak : testingInFull ? full : usual);
