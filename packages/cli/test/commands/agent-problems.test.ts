// The reason that an agent does nothing, or less, stands where a person looks: in `agent list`, `agent show` and `explain`.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrainConfig } from '@parley/protocol';
import { mcpStdio, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parley } from '../in-process.ts';

let kit: TestHub;
let cwd: string;
let ada: Person;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  kit = await startTestHub('sqlite', { agents: [] }, { PARLEY_LOG: 'silent' });
  ada = await kit.person('ada', 'owner');
});
afterAll(async () => {
  await kit.stop();
  await rm(cwd, { recursive: true });
});

const cli = (who: Person, ...args: string[]) => parley(args, { cwd, env: { PARLEY_URL: kit.url, PARLEY_TOKEN: who.token } });

async function agent(handle: string, brain: BrainConfig, tools: string[] = []): Promise<string> {
  const { id } = await ada.call('addMember', { body: { kind: 'agent', handle, displayName: handle } });
  const params = { memberId: id };
  const { version, identity } = await ada.call('getIdentity', { params });
  await ada.call('putIdentity', { params, body: { ...identity, brain, tools, version } });
  return id;
}
async function asked(memberId: string): Promise<string> {
  const { id: dm } = await ada.call('openDm', { body: { memberIds: [memberId] } });
  return (await ada.post(dm, 'What is it?')).id;
}

test('[SYS-8] [PAP-6] an agent whose webhook takes nothing says why', async () => {
  const id = await agent('HOOK', { kind: 'remote', webhook: { url: 'http://127.0.0.1:9/hook', secret: 'hook' } });
  const messageId = await asked(id);
  const everywhere = async (who: Person) => {
    const [list, show, explain] = [
      await cli(who, 'agent', 'list'),
      await cli(who, 'agent', 'show', 'HOOK'),
      await cli(who, 'explain', messageId),
    ];
    return [list.err, show.err, explain.out];
  };
  const unset = /Its webhook gets nothing: The secret hook is not set\. Set it with `npx parley secrets set hook`\./;
  for (const words of await everywhere(ada)) expect(words).toMatch(unset);
  await ada.call('setSecret', { params: { name: 'hook' }, body: { value: 'sssh' } });
  for (const words of await everywhere(ada)) expect(words).toMatch(/127\.0\.0\.1 is a private, .+PARLEY_WEBHOOK_PRIVATE=1/);
  const mona = await kit.person('mona');
  const { err } = await cli(mona, 'agent', 'list');
  expect(err).toContain('^HOOK: Its webhook gets nothing. Ask an owner or admin');
  expect(err).not.toContain('127.0.0.1');
  await ada.call('deactivateMember', { params: { memberId: id } });
});

test('[SYS-8] [PAP-6] an agent that answered without two of its tool servers names them', async () => {
  const { command, args } = mcpStdio('broken');
  await ada.call('setToolServer', { params: { name: 'broken' }, body: { command, args } });
  const id = await agent('TOOLER', { kind: 'builtin' }, ['mcp://broken', 'mcp://nope']);
  const messageId = await asked(id);
  await expect.poll(async () => (await ada.call('listTasks', { query: { state: 'open', agentId: id } })).tasks).toEqual([]);
  await ada.call('testToolServer', { params: { name: 'broken' } });
  const list = await cli(ada, 'agent', 'list');
  expect(list.out).toMatch(/\^TOOLER +TOOLER +lacks tools/);
  for (const words of [list.err, (await cli(ada, 'agent', 'show', 'TOOLER')).err, (await cli(ada, 'explain', messageId)).out]) {
    expect(words).toMatch(/mcp:\/\/broken: broken is down: .*cannot find my files/);
    expect(words).toContain('mcp://nope: there is no tool server nope.');
  }
});
