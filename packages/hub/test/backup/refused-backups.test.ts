import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BackupError, restoreBackup, verifyBackup } from '@parley/hub';
import { freshGround, startTestHub } from '@parley/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { upgraderFrom } from '../../src/backup/upgrades.ts';
import { summer } from '../../src/store/checksum.ts';
import { backUp, dump, filesIn, fill, type LooseLine, placeOf, problemsIn, repack } from '../kit/backup.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-backup-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('a backup that is not as it was written', () => {
  let path: string;
  let bytes: Buffer;
  beforeAll(async () => {
    const source = await startTestHub('sqlite');
    await fill(source);
    ({ path } = await backUp(source.ground, join(folder, 'whole')));
    await source.stop();
    bytes = await readFile(path);
  });

  async function refused(content: Uint8Array | string, name: string): Promise<BackupError> {
    const file = join(folder, name);
    await writeFile(file, content);
    const ground = await freshGround('sqlite');
    const error: unknown = await restoreBackup({ path: file, ...placeOf(ground), epoch: 'x' }).catch((thrown: unknown) => thrown);
    expect(await filesIn(ground.dataDir)).toEqual([]);
    await ground.clear();
    expect(error).toBeInstanceOf(BackupError);
    return error as BackupError;
  }

  test('[SYS-15] is refused when any byte of it is another', async () => {
    const places = [...Array.from({ length: 24 }, (_, i) => i), ...Array.from({ length: 110 }, (_, i) => bytes.length - 1 - i)];
    for (let i = 1; i < 60; i++) places.push(Math.floor((bytes.length * i) / 60));
    for (const at of places) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1 << (at % 8);
      const { failure } = await refused(changed, 'flipped');
      expect(['damaged', 'not_a_backup', 'newer'], `byte ${at}`).toContain(failure);
    }
  });

  test('[SYS-15] is refused when it is cut short or goes on', async () => {
    for (const length of [0, 1, 10, 500, bytes.length - 5000, bytes.length - 101, bytes.length - 100, bytes.length - 1]) {
      expect((await refused(bytes.subarray(0, length), 'cut')).failure).toMatch(length >= 500 ? /damaged/ : /not_a_backup/);
    }
    expect(await refused(Buffer.concat([bytes, Buffer.from('\n')]), 'long')).toMatchObject({ failure: 'damaged' });
    expect(await refused(Buffer.concat([bytes, bytes]), 'double')).toMatchObject({ failure: 'damaged' });
  });

  test('[SYS-15] is refused when it is something else', async () => {
    expect(await refused('Dear diary', 'text')).toMatchObject({ failure: 'not_a_backup' });
    expect(await refused(gzipSync('{"hello":"world"}\n'), 'other.gz')).toMatchObject({ failure: 'not_a_backup' });
    expect(await refused(gzipSync(Buffer.alloc(100_000, 'x')), 'x.gz')).toMatchObject({ failure: 'not_a_backup' });
    await expect(verifyBackup(folder)).rejects.toMatchObject({ failure: 'not_a_backup' });
    await expect(verifyBackup(join(folder, 'no such file'))).rejects.toMatchObject({ failure: 'nothing_there' });
  });

  test('[SYS-15] is refused when its rows, chain, attachments or counts do not add up, though its seal does', async () => {
    const forge = async (edit: Parameters<typeof repack>[2]) => {
      await repack(path, join(folder, 'forged'), edit);
      return (await refused(await readFile(join(folder, 'forged')), 'forged')).message;
    };
    const factAt = (lines: LooseLine[], seq: number) => lines.findIndex((line) => line.t === 'facts' && line.r!['seq'] === seq);
    expect(await forge((lines) => ((lines.find((line) => line.t === 'members')!.r!['role'] = 'guest'), lines))).not.toBe('');
    expect(await forge((lines) => ((lines.find((line) => line.t === 'messages')!.r!['body'] = 'x'), lines))).toMatch(
      /does not match its checksum/,
    );
    expect(await forge((lines) => lines.toSpliced(factAt(lines, 5), 1))).toMatch(/facts 6 follows fact 4: 1 missing/);
    expect(
      await forge((lines) =>
        lines.toSpliced(
          lines.findIndex((line) => line.t === 'reactions'),
          1,
        ),
      ),
    ).toMatch(/does not hold what its end says \(rows\)/);
    expect(
      await forge((lines) =>
        lines.toSpliced(
          lines.findIndex((line) => line.b),
          1,
        ),
      ),
    ).toMatch(/attachment \w+ does not match its hash/);
    expect(await forge((lines) => lines.filter((line) => !line.size))).toMatch(/attachment \w+ is cut short/);
    expect(await forge((lines) => lines.slice(0, -1))).toMatch(/its end is missing/);
    expect(await forge((lines) => [...lines, lines[1]!])).toMatch(/does not hold what its end says/);
    expect(await forge((lines) => ((lines[1]!.t = 'no_such_table'), lines))).toMatch(/is damaged/);
  });

  test('[SYS-15] of a newer version is refused by name, one of an older version is brought forward', async () => {
    const newer = join(folder, 'newer');
    await repack(path, newer, (lines) => (Object.assign(lines[0]!, { schema: 999 }), lines));
    expect(await refused(await readFile(newer), 'newer')).toMatchObject({
      failure: 'newer',
      message: expect.stringContaining('schema 999'),
    });
    await repack(path, newer, (lines) => (Object.assign(lines[0]!, { version: 2 }), lines));
    expect(await refused(await readFile(newer), 'newer')).toMatchObject({ failure: 'newer' });

    // As if version 0 had had members without `about`, and reactions in a table called `likes`.
    const columns = [
      'id',
      'kind',
      'handle',
      'handle_fold',
      'display_name',
      'role',
      'owner_id',
      'manager_id',
      'status',
      'dnd_until',
      'created_at',
    ];
    const upgrade = {
      from: 0,
      columns: { members: columns },
      row: (table: string, row: Record<string, string | number | null>) =>
        table === 'members' ? { table, row: { ...row, about: `was version 0` } } : table === 'reads' ? undefined : { table, row },
    };
    const key = Buffer.from(JSON.parse(gunzipSync(bytes).toString().split('\n')[0]!).checksumKey, 'hex');
    const sumThen = summer(key, { members: columns });
    const older = join(folder, 'older');
    await repack(path, older, (lines) => {
      lines[0]!.schema = 0;
      for (const line of lines) {
        if (line.t !== 'members') continue;
        const { about: _, ...row } = line.r!;
        line.r = { ...row, sum: sumThen('members', row) };
      }
      return lines;
    });
    const ground = await freshGround('sqlite');
    await restoreBackup({ path: older, ...placeOf(ground), epoch: 'old', upgrades: [upgrade] });
    const rows = await dump(placeOf(ground));
    expect(new Set(rows['members']!.map((row) => row['about']))).toEqual(new Set(['was version 0']));
    expect(rows['reads']).toEqual([]);
    expect(await problemsIn(placeOf(ground))).toEqual([]);
    await ground.clear();
    expect(upgraderFrom(1, key, [upgrade]).upgrade('reads', { seq: 1 })).toEqual({ table: 'reads', row: { seq: 1 } });
  });
});
