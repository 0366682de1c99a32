// Shared set-up of a suite. A hook makes the value; before that, a stand-in has its name, so that the helpers of the suite can
// refer to it.

import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Person, startTestHub, type TestHub } from './hub.ts';

function standIn<T extends object>(current: () => T | undefined): T {
  const made = (): T => {
    const now = current();
    if (!now) throw new Error('A hook makes this, and it has not run yet.');
    return now;
  };
  return new Proxy({} as T, {
    get: (_, key) => {
      const now = made();
      const value = Reflect.get(now, key) as unknown;
      // A method finds private fields only on the object itself.
      return typeof value === 'function' && key !== 'constructor' ? (value.bind(now) as unknown) : value;
    },
    set: (_, key, value) => Reflect.set(made(), key, value),
    has: (_, key) => Reflect.has(made(), key),
    ownKeys: () => Reflect.ownKeys(made()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(made(), key),
    getPrototypeOf: () => Reflect.getPrototypeOf(made()),
  });
}

/** Made before the first test of a suite, ended after the last. */
export function makeOnce<T extends object>(make: () => Promise<T>, end?: (made: T) => Promise<unknown>): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  if (end) afterAll(() => made && end(made));
  return standIn(() => made);
}

/** Made again before each test of a suite: what one test leaves must not be in another's way. */
export function makeForEach<T extends object>(make: () => Promise<T>): T {
  let made: T | undefined;
  beforeEach(async () => {
    made = await make();
  });
  return standIn(() => made);
}

/** One part of a shared set-up, under its own name. */
export const partOf = <T extends object, K extends keyof T>(whole: T, key: K & (T[K] extends object ? K : never)): T[K] =>
  standIn(() => whole[key] as T[K] & object);

/** One hub for all tests of a suite. */
export const hubFor = (...settings: Parameters<typeof startTestHub>): TestHub =>
  makeOnce(
    () => startTestHub(...settings),
    (kit) => kit.stop(),
  );

/** One hub for all tests of a suite, two people, and the channel everyone starts in. */
export function twoPeopleOn(...settings: Parameters<typeof startTestHub>): {
  kit: TestHub;
  ann: Person;
  bob: Person;
  general: { id: string };
} {
  const kit = hubFor(...settings);
  const ann = makeOnce(() => kit.person('ann'));
  const bob = makeOnce(() => kit.person('bob'));
  return { kit, ann, bob, general: makeOnce(async () => ({ id: await kit.general() })) };
}
