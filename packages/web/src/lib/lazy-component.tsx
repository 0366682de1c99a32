// Parts of the page that nobody sees at first are fetched when they are wanted: what everybody waits for stays small.

import { type ComponentType, lazy, Suspense } from 'react';

/** Shows nothing until it is here. */
export function lazyComponent<P extends object>(load: () => Promise<ComponentType<P>>) {
  const Part = lazy(async () => ({ default: await load() }));
  return function Later(props: P) {
    return (
      <Suspense fallback={null}>
        <Part {...props} />
      </Suspense>
    );
  };
}
