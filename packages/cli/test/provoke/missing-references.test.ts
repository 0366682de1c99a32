// What a manifest needs and is not there: told when it is put there, and wherever it is listed.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StandingObject } from '@parley/protocol';
import { onBothEngines, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';

onBothEngines('what a manifest needs', (engine) => {
  let kit: TestHub;
  let cwd: string;
  let here: string[] = [];
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'parley-missing-'));
    kit = await startTestHub(engine, { env: {} });
    here = ['--url', kit.url, '--token', kit.operator.token];
  });
  afterAll(async () => {
    await kit.stop();
    await rm(cwd, { recursive: true });
  });
  const parley = (args: string[], input?: string) =>
    inProcess([...here, ...args.map((arg) => (arg.endsWith('.yaml') ? join(cwd, arg) : arg))], input);

  it('[PRV-12] a model without a key, a tool of no server and an address that is not allowed are told at put, and in the lists', async () => {
    const needy = `pap_version: "0.2"
trigger: { id: needy, match: { type: host.needy.found }, agent: needy }
---
pap_version: "0.2"
agent:
  id: needy
  risk_level: low
  model: { provider: anthropic, model_id: some-model }
  tools: [{ name: read, source: "mcp://shelf" }, { name: write, source: "mcp://shelf" }]
  deliver_to: { webhook: { url: "http://127.0.0.1:9/in" } }
`;
    const told = [
      'There is no key for anthropic: the agent cannot think until an owner or admin sets it, as with `npx parley secrets set anthropic`.',
      'There is no tool server shelf: without its tools each attempt fails.',
      'Its result cannot be sent: 127.0.0.1 is a private, loopback or link-local address; PARLEY_WEBHOOK_PRIVATE=1 allows them.',
    ];
    await writeFile(join(cwd, 'needy.yaml'), needy);
    const { err } = await parley(['triggers', 'put', 'needy.yaml']);
    expect(err).toBe(['manifest', 'trigger'].flatMap((kind) => told.map((line) => `${kind} needy: ${line}\n`)).join(''));
    for (const list of ['triggers', 'manifests'])
      expect((await parley([list])).err).toContain(told.map((line) => `needy: ${line}\n`).join(''));
    expect((JSON.parse((await parley(['--json', 'manifests', 'show', 'needy'])).out) as StandingObject).warnings).toEqual(told);
    // What is missing may come later, and a model that needs no key misses none.
    await parley(['secrets', 'set', 'anthropic'], 'a-key');
    expect((await parley(['triggers', 'show', 'needy'])).err).not.toContain('no key');
    const model = '{ provider: openai_compatible, model_id: m, base_url: "http://x.example" }';
    await writeFile(join(cwd, 'needy.yaml'), needy.replace(/model: .*/, `model: ${model}`).replace('127.0.0.1:9', 'localhost'));
    const { err: local } = await parley(['triggers', 'put', 'needy.yaml']);
    expect(local).not.toContain('no key');
    expect(local).toContain('Its result cannot be sent: localhost is a private');
  });

  it('[PRV-16] what is not there is named, with a hint where to look; a group by itself lists, and states are taken as they are shown', async () => {
    for (const action of ['show', 'history', 'enable', 'remove'])
      expect(await parley(['triggers', action, 'nope'])).toMatchObject({
        code: 3,
        err: expect.stringMatching(/There is no trigger nope that you may see\.\n.*parley triggers` lists those there are\./) as string,
      });
    expect(await parley(['manifests', 'show', 'nope'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('no manifest nope') as string,
    });
    for (const group of ['agents', 'members', 'roles', 'secrets', 'tools', 'tokens'])
      expect(await parley([group])).toEqual(await parley([group, 'list']));
    expect((await parley(['agents'])).out).toContain('^ORAC');
    expect(await parley(['agents', 'lst'])).toMatchObject({
      code: 2,
      err: expect.stringContaining("Unknown command 'lst'.\n  Did you mean list?") as string,
    });
    expect(await parley(['invocations', 'show'])).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Which invocation\?\n.*parley invocations show <inv_…>`; .*parley invocations` lists them\./) as string,
    });
    for (const [group, id] of [
      ['invocations', 'inv_00000000000000000000000000'],
      ['events', 'evt_00000000000000000000000000'],
    ] as const) {
      expect(await parley([group, id])).toEqual(await parley([group, 'show', id]));
      expect(await parley([group, id])).toMatchObject({ code: 3 });
      expect((await parley([group, 'lst'])).err).toContain('list, show');
    }
    for (const group of ['invocations', 'events', 'triggers'])
      expect(await parley([group, 'list', 'e1'])).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(
          new RegExp(`parley ${group} list\` takes no id: e1\n.*parley ${group} show e1\` shows one\\.`),
        ) as string,
      });
    for (const state of ['awaiting approval', 'awaiting_approval'])
      expect(await parley(['invocations', '--state', state])).toMatchObject({ code: 0, out: 'There are no such invocations.\n' });
    expect(await parley(['invocations', '--state', 'nowhere'])).toMatchObject({ code: 2 });
  });
});
