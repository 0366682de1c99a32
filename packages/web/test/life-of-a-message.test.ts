// The table "The life of one message" of docs/architecture.md, compared with the functions that a message really calls.

import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createClient } from '@parley/sdk';
import { SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openWorkspace, type Workspace } from '../src/state/workspace.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const clock = new SimClock();
const composeMs = 2_500;
const inspector = new Session();
let kit: TestHub;
let page: Workspace;
let general: string;

/** The files in the page's table. */
const paths = (() => {
  const page = readFileSync(`${root}/docs/architecture.md`, 'utf8');
  const section = /^## The life of one message\n([^]*?)^## /m.exec(page)?.[1] ?? '';
  return [...section.matchAll(/^\|[^|]*\| `(\S+)` \|/gm)].map(([, path = '']) => path);
})();

beforeAll(async () => {
  const silent = { addEventListener: () => {}, removeEventListener: () => {} };
  vi.stubGlobal('document', silent);
  for (const [name, listener] of Object.entries(silent)) vi.stubGlobal(name, listener);
  kit = await startTestHub('sqlite', { clock }, { PARLEY_COMPOSE_MS: String(composeMs) });
  general = await kit.general();
  page = await openWorkspace(createClient({ baseUrl: kit.url, token: kit.owner.token }), () => {});
  await page.history.reload(general);
  inspector.connect();
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});

afterAll(async () => {
  await inspector.post('Profiler.stopPreciseCoverage');
  inspector.disconnect();
  page.stop();
  vi.unstubAllGlobals();
  await kit.stop();
});

/** The files of the tree in which `live` called a function that has a name: a module that only loads has none. */
async function filesCalledBy(live: () => Promise<void>): Promise<string[]> {
  await inspector.post('Profiler.takePreciseCoverage');
  await live();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const called = (script: Profiler.ScriptCoverage) =>
    script.functions.some(({ functionName, ranges }) => functionName !== '' && (ranges[0]?.count ?? 0) > 0);
  return result.filter(called).map(({ url }) => relative(root, url.startsWith('file:') ? fileURLToPath(url) : url));
}

async function shown(id: string): Promise<void> {
  await expect.poll(() => JSON.stringify(page.store.get().timelines)).toContain(id);
}

test('every file in the table runs for a message that calls an agent, and those of its turn for no other', async () => {
  const ambient = await filesCalledBy(async () => {
    const { id } = await kit.owner.post(general, 'good morning');
    await shown(id);
  });
  const called = await filesCalledBy(async () => {
    const { id } = await kit.owner.post(general, "^ORAC what's going on?");
    await shown(id);
    const states = () => {
      clock.advance(composeMs);
      return Object.values(page.store.get().tasks).map(({ state }) => state);
    };
    await expect.poll(states).toEqual(['completed']);
  });
  const notIn = (files: string[]) => paths.filter((path) => !files.some((file) => file === path || file.startsWith(`${path}/`)));
  expect(paths.length).toBeGreaterThan(10);
  expect(notIn(called)).toEqual([]);
  const ofTheTurn = ['executor/lease-runner.ts', 'brains/builtin/brain.ts', 'engine/commands/tasks/speech.ts'];
  expect(notIn(ambient)).toEqual(expect.arrayContaining(ofTheTurn.map((path) => `packages/hub/src/${path}`)));
});
