// An agent whose model has no key says so before somebody asks it in vain.

import { type Person, makeOnce } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { floorFor } from '../kit/floor.ts';

describe('an agent without its key', () => {
  const { floor } = floorFor('sqlite', { env: {} });
  const owner = makeOnce(() => floor.kit.person('olga', 'owner'));

  const needed = async (who: Person) => (await who.call('listAgents', {})).agents.map(({ handle, needsKey }) => [handle, needsKey]);

  test('[SYS-8] the list names the key that its model lacks, until it is set; the hub’s other agents need none', async () => {
    const plan = await owner.call('addMember', { body: { kind: 'agent', handle: 'PLAN', displayName: 'Plan' } });
    await owner.call('addMember', { body: { kind: 'agent', handle: 'FAR', displayName: 'Far' } });
    const params = { memberId: plan.id };
    const { version, identity } = await owner.call('getIdentity', { params });
    const brain = { kind: 'model', provider: 'anthropic', model: 'm' } as const;
    await owner.call('putIdentity', { params, body: { ...identity, brain, version } });
    expect(await needed(owner)).toEqual([
      ['FAR', null],
      ['PLAN', 'anthropic'],
    ]);
    await owner.call('setSecret', { params: { name: 'anthropic' }, body: { value: 'sk-x' } });
    expect((await needed(owner))[1]).toEqual(['PLAN', null]);
    const elsewhere = { ...identity, brain: { ...brain, baseUrl: 'https://models.example.com/v1' }, version: version + 1 };
    await owner.call('putIdentity', { params, body: elsewhere });
    const { agents } = await owner.call('listAgents', {});
    expect(agents.map(({ problem }) => problem)).toEqual([
      null,
      expect.stringMatching(/anthropic may be sent to api\.anthropic\.com only, and not to models\.example\.com\..*parley secrets bind/),
    ]);
    const member = await floor.kit.person('mona');
    expect((await member.call('listAgents', {})).agents[1]!.problem).toMatch(/^Its key may not be sent to the host of its model/);
  });

  test('the page of the API names the address it is served at', async () => {
    const page = await (await fetch(`${floor.kit.hub.url}/docs`)).text();
    expect(page).toContain(`curl ${floor.kit.hub.url}/api/v1/conversations`);
    expect(page).not.toContain('localhost:7440');
  });
});
