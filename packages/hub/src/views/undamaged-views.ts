import { CorruptRowError } from '../store/port.ts';

/**
 * For lists: an entry that hangs on a damaged row is left out, so that it hides no other. Part of an entry is never left out:
 * an agent without its identity, or a task without its taint, would be shown as something that it is not.
 */
export async function undamaged<R, V>(rows: readonly R[], views: (rows: R[]) => Promise<V[]>): Promise<V[]> {
  try {
    return await views([...rows]);
  } catch (error) {
    if (!(error instanceof CorruptRowError)) throw error;
    return rows.length < 2 ? [] : (await Promise.all(rows.map((row) => undamaged([row], views)))).flat();
  }
}
