// How much of it. What is tried thousands of times is tried less often in `npm test`, which has to end while somebody
// waits for it, and as often as was promised in `npm run soak`.

export const soaking = process.env['PARLEY_SOAK'] === '1';

export const often = (usual: number, soak: number): number => (soaking ? soak : usual);
