// A final failure is in the hub's log as well: its operator may have no page open, and no conversation for a notice.

import type { Logger } from 'pino';
import type { Store } from '../store/port.ts';

interface Options {
  store: Pick<Store, 'rows' | 'onCommit'>;
  log: Pick<Logger, 'warn' | 'error'>;
}

/** Of several hubs on one database, only the hub that ended an invocation logs its failure. */
export function logFailures({ store, log }: Options): void {
  const logFailed = async (ids: string[]): Promise<void> => {
    for (const { id, trigger_id: trigger, manifest_id: manifest, error } of await store.rows('invocations', { id: ids }, { order: 'seq' }))
      log.warn({ invocation: id, trigger, manifest }, `The invocation ${id} of ${manifest} has failed for good. ${error ?? ''}`);
  };
  store.onCommit((own = []) => {
    const failed = own.flatMap(({ type, subject_id }) => (type === 'invocation.failed' && subject_id !== null ? subject_id : []));
    if (failed.length > 0) logFailed(failed).catch((error: unknown) => log.error({ err: error }, 'failed invocations'));
  });
}
