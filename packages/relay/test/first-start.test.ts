import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRelayRunning, openRelayFolder } from '../src/index.ts';

const module = new URL('../src/data-folder.ts', import.meta.url).href;

test('[A2C-1] a relay that is killed while it writes its key at the first start makes one at the next', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-relay-key-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = `const { openRelayFolder } = await import(${JSON.stringify(module)}); openRelayFolder(${JSON.stringify(folder)});`;
  // A limit of no bytes for files kills the process in the middle of its first write.
  const died = spawnSync('sh', ['-c', 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, program]);
  expect(died.signal ?? died.status).not.toBe(0);
  const { key, store } = openRelayFolder(folder);
  await store.close();
  expect(readFileSync(join(folder, 'relay.key'), 'utf8')).toBe(key.pem);
  expect(statSync(join(folder, 'relay.key')).mode & 0o777).toBe(0o600);
  const again = openRelayFolder(folder);
  await again.store.close();
  expect(again.key.public).toBe(key.public);
});

test('[A2C-1] a file that SQLite cannot use is named, and is not called another relay', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-relay-damaged-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of ['relay.lock', 'relay.db']) writeFileSync(join(folder, name), 'no database at all'.repeat(500));
  expect(() => isRelayRunning(folder)).toThrow(`${join(folder, 'relay.lock')}: file is not a database.`);
  expect(() => openRelayFolder(folder)).toThrow(`${join(folder, 'relay.db')}: file is not a database.`);
});
