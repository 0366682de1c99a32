// What a hub loads and starts before anybody uses more of it than the page. Each thread costs 10 to 70 MB, each large library
// some more. The numbers are counts, so they are the same everywhere: a change that raises one says why in its commit.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLink } from '@parley/testkit';
import { expect, test } from 'vitest';
import { up } from './kit.ts';

const preload = new URL('note-modules.mjs', import.meta.url).href;

interface Loaded {
  thread: string;
  url?: string;
}

test('[SYS-4] an idle hub and its first visitor take three threads and no library that nobody asked for', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'parley-idle-'));
  const notes = join(cwd, 'modules');
  const env = { PARLEY_LOG: 'silent', PARLEY_TEST_MODULES: notes, NODE_OPTIONS: `--import=${preload}` };
  try {
    const hub = await up([], { cwd, env });
    const visitor = await openLink(hub.url, new URL(hub.link).hash.slice(1), { displayName: 'Ann', handle: 'ann' });
    await visitor.call('getSession', {});
    await visitor.call('listConversations', { query: {} });
    await visitor.call('noticePeerZone', { body: { zone: 'Europe/Berlin' } });
    await hub.stop();
    const lines = (await readFile(notes, 'utf8')).trim().split('\n');
    const found = lines.map((line) => JSON.parse(line) as Loaded);
    const threads = found.flatMap(({ thread, url }) => (url === undefined ? [thread] : []));
    const loaded = found.flatMap(({ url }) => url ?? []);
    const [theirs, ours] = [
      loaded.filter((url) => url.includes('/node_modules/')),
      loaded.filter((url) => !url.includes('/node_modules/')),
    ];
    expect(threads.filter((thread) => thread !== 'main')).toEqual(['sqlite', 'sqlite']);
    expect(
      loaded.filter((url) => /node_modules\/(pg|@modelcontextprotocol|ical\.js|@nats-io)\/|peer\/src\/hosted\/worker/.test(url)),
    ).toEqual([]);
    expect(ours.length).toBeLessThanOrEqual(790);
    expect(theirs.length).toBeLessThanOrEqual(366);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
});
