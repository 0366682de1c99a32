// How much a test tries. `npm test` has to end while somebody waits for it. `npm run test:full` adds the second engine and the
// files named `*.full.test.ts`; `npm run soak` tries what is tried thousands of times as often as was promised.

export const soaking = process.env['PARLEY_SOAK'] === '1';

/** Set by vitest.config.ts in the mode `full`. */
export const testingInFull = process.env['PARLEY_TEST_FULL'] === '1';

/** So many in `npm test`, in `npm run soak`, and in `npm run test:full` where that should be more than in `npm test`. */
export const often = (usual: number, soak: number, full = usual): number => (soaking ? soak : testingInFull ? full : usual);
