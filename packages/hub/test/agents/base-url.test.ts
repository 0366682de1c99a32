// Who says where an agent's brain is reached says where the hub's keys go.

import type { BrainConfig } from '@parley/protocol';
import { onBothEngines, type Person, makeOnce } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { floorFor } from '../kit/floor.ts';

onBothEngines('where a brain is reached', (engine) => {
  const { floor } = floorFor(engine, {}, { PARLEY_LOG: 'silent' });
  const agent = makeOnce(() => floor.agent('REACHED', { online: false }));
  const admin = makeOnce(() => floor.kit.person('admin', 'admin'));
  beforeAll(async () => {
    await admin.call('setSecret', { params: { name: 'anthropic' }, body: { value: 'sk-of-the-hub' } });
  });

  const params = () => ({ memberId: agent.id });
  const give = async (who: Person, brain: BrainConfig) => {
    const { version, identity } = await admin.call('getIdentity', { params: params() });
    return who.ask('putIdentity', { params: params(), body: { ...identity, brain, version } });
  };
  const inForce = async () => (await admin.call('getIdentity', { params: params() })).identity.brain;
  const anthropic = { kind: 'model', provider: 'anthropic', model: 'm' } as const;
  const mine = 'http://127.0.0.1:9';

  describe('[SYS-11] a member who owns an agent has no key sent to a place of their own', () => {
    test.each<[string, BrainConfig]>([
      ['its address', { ...anthropic, baseUrl: mine }],
      ['the second model’s', { ...anthropic, fallback: { provider: 'anthropic', model: 'm', baseUrl: mine } }],
      ['another secret', { ...anthropic, key: 'smtp_password' }],
      ['both', { kind: 'model', provider: 'openai_compatible', model: 'm', baseUrl: mine, key: 'anthropic' }],
      ['a webhook', { kind: 'remote', webhook: { url: mine, secret: 'anthropic' } }],
    ])('%s', async (_, brain) => {
      const before = await inForce();
      const { status, body } = await give(floor.ann, brain);
      expect([status, body.error?.code]).toEqual([403, 'forbidden']);
      expect(await inForce()).toEqual(before);
      expect((await give(admin, brain)).status).toBe(200);
      expect((await give(floor.ann, before)).status).toBe(200);
    });
  });

  test('[SYS-11] they choose provider and model, and change all else where an admin set the place', async () => {
    expect((await give(floor.ann, anthropic)).status).toBe(200);
    const there = { ...anthropic, baseUrl: 'https://ours.example', key: 'ours' };
    await give(admin, there);
    expect((await give(floor.ann, { ...there, model: 'another', temperature: 1 })).status).toBe(200);
    // The provider's own key would go where only the other was meant to.
    const { key: _key, ...without } = there;
    expect((await give(floor.ann, without)).body.error?.code).toBe('forbidden');
  });

  test('[SYS-10] [SYS-11] what a model costs is not for them to say: neither less, nor nothing', async () => {
    const price = { inputMicrosPerMillionTokens: 15_000_000, outputMicrosPerMillionTokens: 75_000_000 };
    const free = { inputMicrosPerMillionTokens: 0, outputMicrosPerMillionTokens: 0 };
    await give(admin, anthropic);
    const cheap = [
      { ...anthropic, price: free },
      { ...anthropic, model: 'claude-opus-4-5', price: free },
      { ...anthropic, fallback: { provider: 'openai', model: 'gpt-5', price: free } },
    ] as const;
    for (const brain of cheap) expect((await give(floor.ann, brain)).body.error?.code).toBe('forbidden');
    expect((await give(admin, { ...anthropic, price })).status).toBe(200);
    expect((await give(floor.ann, { ...anthropic, price, temperature: 1 })).status).toBe(200);
    // Left out, it would cost nothing.
    for (const brain of [anthropic, { ...anthropic, price: free }])
      expect((await give(floor.ann, brain)).body.error?.code).toBe('forbidden');
    expect((await give(floor.ann, { ...anthropic, model: 'claude-haiku-4-5' })).status).toBe(200);
  });

  test('[SYS-11] an earlier version brings back no place that was taken away', async () => {
    await give(admin, anthropic);
    const { versions } = await floor.ann.call('listIdentityVersions', { params: params() });
    const placed = versions.find(({ identity }) => identity.brain.kind === 'model' && identity.brain.baseUrl !== undefined)!;
    const again = { params: { ...params(), version: String(placed.version) }, body: { version: versions[0]!.version } };
    expect((await floor.ann.ask('restoreIdentity', again)).body.error?.code).toBe('forbidden');
    expect((await admin.ask('restoreIdentity', again)).status).toBe(200);
  });

  test('[SYS-11] nor do they give it tools of a server that an admin has not given it', async () => {
    const tools = async (who: Person, ...references: string[]) => {
      const { version, identity } = await admin.call('getIdentity', { params: params() });
      return (await who.ask('putIdentity', { params: params(), body: { ...identity, tools: references, version } })).status;
    };
    expect(await tools(floor.ann, 'mcp://payroll')).toBe(403);
    expect(await tools(admin, 'mcp://files')).toBe(200);
    expect(await tools(floor.ann, 'mcp://files', 'mcp://payroll/pay')).toBe(403);
    expect(await tools(floor.ann, 'mcp://files/echo')).toBe(200);
    expect(await tools(floor.ann, 'mcp://files')).toBe(403);
    expect(await tools(floor.ann)).toBe(200);
  });

  test('[SYS-11] nor do they have a tool server told a secret', async () => {
    const server = { params: { name: 'mine' }, body: { url: mine, headers: { authorization: 'Bearer secret:anthropic' } } };
    expect((await floor.ann.ask('setToolServer', server)).body.error?.code).toBe('forbidden');
    expect((await agent.ask('setToolServer', server)).body.error?.code).toBe('forbidden');
  });
});
