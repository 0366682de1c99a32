import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CanceledError, openExisting, type Progress, restoreBackup, verifyBackup, verifyWorkspace, writeBackup } from '@parley/hub';
import { freshGround, onEveryEngine, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUp, fill, placeOf, problemsIn } from '../kit/backup.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-canceled-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Cancels at the first report of the act. */
const cancelAt = (act: string) => (progress: Progress) => {
  if (progress.act === act) throw new CanceledError();
};

onEveryEngine('long work that is canceled', (engine) => {
  let source: TestHub;
  beforeAll(async () => {
    source = await startTestHub(engine, { clock: new SimClock(Date.now()) });
    await fill(source);
    await source.hub.kernel.outbox.settled();
  });
  afterAll(() => source.stop());

  test.each(['Saving rows', 'Saving files'])('[SYS-15] a backup that ends while %s leaves no file', async (act) => {
    const place = await mkdtemp(join(folder, `${engine}-`));
    const opened = await openExisting(source.ground);
    const written = writeBackup(opened, { path: join(place, 'cut.parley'), now: Date.now(), onProgress: cancelAt(act) });
    await expect(written).rejects.toThrow(CanceledError);
    await opened.store.close();
    expect(await readdir(place)).toEqual([]);
  });

  test('[SYS-15] a restore that is canceled leaves nothing, and the place takes the backup afterwards', async () => {
    const { path } = await backUp(source.ground, join(folder, `whole-${engine}`));
    const ground = await freshGround(engine);
    const place = placeOf(ground);
    const before = await readdir(place.dataDir).catch(() => []);
    await expect(restoreBackup({ path, ...place, epoch: 'cccc', onProgress: cancelAt('Restoring') })).rejects.toThrow(CanceledError);
    expect(await readdir(place.dataDir).catch(() => [])).toEqual(before);
    await restoreBackup({ path, ...place, epoch: 'dddd' });
    expect(await problemsIn(place)).toEqual([]);
    await ground.clear();
  });

  test('[SYS-15] a canceled verify ends, and calls nothing damaged', async () => {
    const opened = await openExisting(source.ground);
    const problems: unknown[] = [];
    for (const act of ['Checking rows', 'Checking files'])
      await expect(verifyWorkspace(opened, (problem) => problems.push(problem), cancelAt(act))).rejects.toThrow(CanceledError);
    await opened.store.close();
    const { path, rows } = await backUp(source.ground, join(folder, `verified-${engine}`));
    await expect(verifyBackup(path, source.ground.dataDir, cancelAt('Checking the backup'))).rejects.toThrow(CanceledError);
    expect(problems).toEqual([]);
    expect(Object.values(rows).reduce((all, n) => all + n, 0)).toBeGreaterThan(0);
  });

  test('[SYS-15] progress ends at the number of rows that there are', async () => {
    const opened = await openExisting(source.ground);
    const seen: Progress[] = [];
    const { rows } = await verifyWorkspace(
      opened,
      () => {},
      (progress) => seen.push(progress),
    );
    await opened.store.close();
    const all = Object.values(rows).reduce((sum, n) => sum + n, 0);
    expect(seen.findLast(({ unit }) => unit === 'row')).toEqual({ act: 'Checking rows', done: all, total: all, unit: 'row' });
  });
});
