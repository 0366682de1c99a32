// Looks at what a hub reads of its database.

import { tailOf } from '@parley/hub';
import type { TestHub } from '@parley/testkit';

type Read = <R>(table: string, params: readonly unknown[], go: () => Promise<R>) => Promise<R>;

/** Puts `read` before every read of rows; the answer takes it away again. */
export function watchReads({ hub }: TestHub, read: Read): () => void {
  const { store } = hub.kernel;
  const [rows, intact] = [store.rows.bind(store), store.intact.bind(store)];
  store.rows = (table, ...query) => read(table, tailOf(query).params, () => rows(table, ...query));
  store.intact = (table, ...query) => read(table, tailOf(query).params, () => intact(table, ...query));
  return () => {
    Reflect.deleteProperty(store, 'rows');
    Reflect.deleteProperty(store, 'intact');
  };
}

/** The most text that one read of the database has brought. */
export function bytesRead(kit: TestHub): { largest: () => number; end: () => void } {
  let largest = 0;
  const end = watchReads(kit, async (_table, _params, go) => {
    const found = await go();
    const texts = JSON.stringify(found).matchAll(/"(?:body|output)":"((?:[^"\\]|\\.)*)"/g);
    largest = Math.max(
      largest,
      [...texts].map(([, text]) => text!.length).reduce((sum, size) => sum + size, 0),
    );
    return found;
  });
  return { largest: () => largest, end };
}
