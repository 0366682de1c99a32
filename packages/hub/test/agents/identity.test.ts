import type { Identity, PutIdentity } from '@parley/protocol';
import { onBothEngines, type Person, makeOnce } from '@parley/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { identityOf } from '../../src/agents/identity.ts';
import { floorFor } from '../kit/floor.ts';

const made = (handle: string, over: Partial<Identity> = {}): Identity => ({
  profile: { handle, displayName: 'Count', about: 'counts' },
  instructions: 'Count what you are told.',
  memory: '- Ann counts in dozens',
  tools: [],
  brain: { kind: 'builtin' },
  mode: 'supervised',
  manager: null,
  ...over,
});

onBothEngines('what an agent is made of', (engine) => {
  const { floor } = floorFor(engine);
  const count = makeOnce(() => floor.agent('COUNT', { online: false }));
  const admin = makeOnce(() => floor.kit.person('admin', 'admin'));

  const get = (who: Person, agent = count) => who.ask('getIdentity', { params: { memberId: agent.id } });
  const put = (who: Person, body: PutIdentity, agent = count) => who.ask('putIdentity', { params: { memberId: agent.id }, body });
  const versions = async (agent = count) =>
    (await floor.ann.call('listIdentityVersions', { params: { memberId: agent.id } })).versions.map(({ version }) => version);

  test('[SYS-8] before anybody wrote it, it is what its record says', async () => {
    expect((await get(floor.ann)).body).toMatchObject({
      version: 0,
      source: 'api',
      at: null,
      identity: {
        profile: { handle: 'COUNT' },
        instructions: '',
        memory: '',
        tools: [],
        brain: { kind: 'remote' },
        mode: 'autonomous',
        manager: null,
      },
    });
    expect(await versions()).toEqual([]);
  });

  test('[SYS-8] written by its owner, it is one thing: name, brain and all', async () => {
    const { status, body } = await put(floor.ann, { version: 0, ...made('COUNT', { manager: 'bob' }) });
    expect([status, body.version, body.identity]).toEqual([200, 1, made('COUNT', { manager: 'bob' })]);
    expect(await identityOf(floor.kit.hub.kernel.store, count.id)).toMatchObject({
      version: 1,
      mode: 'supervised',
      instructions: 'Count what you are told.',
      brain: { kind: 'builtin' },
    });
    const { agents } = await floor.ann.call('listAgents', {});
    expect(agents.find(({ id }) => id === count.id)).toMatchObject({
      displayName: 'Count',
      about: 'counts',
      brain: 'builtin',
      status: 'idle',
    });
    const { members } = await floor.ann.call('listMembers', { query: {} });
    expect(members.find(({ id }) => id === count.id)!.managerId).toBe(floor.bob.id);
  });

  test('the same again makes no version; a change does, and no fact holds a word of it', async () => {
    const now = made('COUNT', { manager: 'bob' });
    await put(floor.ann, { version: 1, ...now });
    expect(await versions()).toEqual([1]);
    await put(floor.ann, { version: 1, ...now, instructions: 'Count backwards.' });
    expect(await versions()).toEqual([2, 1]);
    const facts = await floor.kit.hub.kernel.store.rows('facts', "where type = 'identity.changed' order by seq");
    expect(facts.map(({ data }) => JSON.parse(data) as object)).toEqual([
      { version: 1, fields: ['profile', 'instructions', 'memory', 'brain', 'mode', 'managerId'] },
      { version: 2, fields: ['instructions'] },
    ]);
  });

  test('what was changed in between is refused, naming the field', async () => {
    const stale = await put(admin, { version: 1, ...made('COUNT') });
    expect([stale.status, stale.body.error]).toMatchObject([
      409,
      { code: 'version_conflict', problems: [{ field: 'version', message: 'is 2 by now' }] },
    ]);
  });

  test('an earlier version comes back as a new one, and the handle stays', async () => {
    await put(floor.ann, { version: 2, ...made('COUNTESS', { instructions: 'Rule.' }) });
    const back = await admin.call('restoreIdentity', { params: { memberId: count.id, version: '1' }, body: { version: 3 } });
    expect([back.version, back.identity]).toEqual([4, made('COUNTESS', { manager: 'bob' })]);
    const { versions: all } = await admin.call('listIdentityVersions', { params: { memberId: count.id } });
    expect(all.map(({ version, changedBy }) => [version, changedBy])).toEqual([
      [4, admin.id],
      [3, floor.ann.id],
      [2, floor.ann.id],
      [1, floor.ann.id],
    ]);
    const gone = await admin.ask('restoreIdentity', { params: { memberId: count.id, version: '9' }, body: { version: 4 } });
    expect(gone.body.error?.code).toBe('not_found');
  });

  test('the newest hundred versions are kept, and none before them', async () => {
    const many = await floor.agent('MANY', { online: false });
    const { engine: commands, store } = floor.kit.hub.kernel;
    const write = (version: number) => {
      const identity = made('MANY', { instructions: `No. ${version + 1}` });
      return commands.submit({ type: 'identity.put', by: { operator: true }, agentId: many.id, version, identity });
    };
    for (let version = 0; version < 103; version++) await write(version);
    const rows = await store.rows('identity_versions', 'where agent_id = ? order by version', [many.id]);
    expect(rows.map(({ version }) => version)).toEqual(Array.from({ length: 100 }, (_, i) => i + 4));
    const restore = (version: string) => admin.ask('restoreIdentity', { params: { memberId: many.id, version }, body: { version: 103 } });
    expect((await restore('3')).body.error?.code).toBe('not_found');
    // The oldest there is comes back, and makes way for what it has become.
    expect((await restore('4')).body.identity.instructions).toBe('No. 4');
    expect(await store.rows('identity_versions', 'where agent_id = ?', [many.id])).toHaveLength(100);
  });

  test('its owner and admins see and write it; others, and agents, do not', async () => {
    const { version, identity } = (await get(floor.ann)).body;
    for (const [who, reading, writing] of [
      [floor.bob, 'forbidden', 'forbidden'],
      [count, 'outside_task', 'forbidden'],
      [await floor.kit.person('guest', 'guest'), 'not_found', 'not_found'],
    ] as const) {
      expect((await get(who)).body.error?.code).toBe(reading);
      expect((await put(who, { version, ...identity })).body.error?.code).toBe(writing);
      expect((await who.ask('listIdentityVersions', { params: { memberId: count.id } })).body.error?.code).toBe(reading);
    }
    expect((await get(admin)).status).toBe(200);
    expect((await floor.ann.ask('getIdentity', { params: { memberId: floor.bob.id } })).body.error?.code).toBe('not_found');
  });

  test.each<[string, Partial<Identity>, string]>([
    ['an unknown manager', { manager: 'nobody' }, 'manager'],
    ['itself above itself', { manager: 'COUNTESS' }, 'manager'],
    ['a server without its address', { brain: { kind: 'model', provider: 'openai_compatible', model: 'm' } }, 'brain.baseUrl'],
    [
      'an address with a password in it',
      { brain: { kind: 'remote', webhook: { url: 'https://a:b@example.org', secret: 's' } } },
      'brain.webhook.url',
    ],
    ['a tool that is none', { tools: ['http://x'] }, 'tools.0'],
  ])('%s is refused by name', async (_name, over, field) => {
    const { version } = (await get(floor.ann)).body;
    const { body } = await put(floor.ann, { version, ...made('COUNTESS', over) });
    expect([body.error?.code, body.error?.problems?.[0]?.field]).toEqual(['invalid_request', field]);
  });

  test('a handle that somebody has is refused, and nothing is half written', async () => {
    const before = (await get(floor.ann)).body;
    const { body } = await put(floor.ann, { version: before.version, ...made('ann', { instructions: 'be her' }) });
    expect(body.error?.code).toBe('handle_taken');
    expect((await get(floor.ann)).body).toEqual(before);
  });

  describe('[SYS-8] its record and its identity agree about its brain', () => {
    const brainOf = async () => (await get(floor.ann)).body.identity.brain;

    test('set as a kind, it is a version of its identity', async () => {
      await floor.ann.call('editAgent', { params: { memberId: count.id }, body: { brain: 'remote' } });
      expect(await brainOf()).toEqual({ kind: 'remote' });
    });

    test('a model is set in its identity, where it is named', async () => {
      const refused = await floor.ann.ask('editAgent', { params: { memberId: count.id }, body: { brain: 'model' } });
      expect(refused.body.error?.problems?.[0]?.field).toBe('brain');
      const { version, identity } = (await get(floor.ann)).body;
      const brain = { kind: 'model', provider: 'anthropic', model: 'm', key: 'mine' } as const;
      await put(admin, { version, ...identity, brain });
      expect(await brainOf()).toEqual(brain);
      const [row] = await floor.kit.hub.kernel.store.rows('agents', 'where member_id = ?', [count.id]);
      expect(row!.brain).toBe('model');
    });

    test('an agent at work that gets another brain is begun again by that', async () => {
      const walker = await floor.agent('WALKER');
      const channel = await floor.channel('walks', walker);
      await floor.ann.post(channel, '^WALKER walk');
      await floor.pass();
      const [task] = await floor.tasks(channel);
      expect(task!.state).toBe('active');
      await put(
        admin,
        { version: 0, ...made('WALKER', { brain: { kind: 'remote', webhook: { url: 'https://x.invalid', secret: 's' } } }) },
        walker,
      );
      expect((await floor.say(walker, task!, 'answer', 'late')).status).toBe(409);
      expect((await floor.tasks(channel))[0]!.state).toBe('queued');
      const principal = await floor.kit.hub.kernel.auth.principal(walker.token);
      await expect(floor.kit.hub.kernel.engine.submit({ type: 'agent.connect', by: principal!.by })).rejects.toMatchObject({
        reason: 'agent.connect:webhook',
      });
    });
  });

  describe('when people go', () => {
    let eve: Person;
    let hers: Person;
    const wrote = (words: string) => async (text: string) => {
      const { store } = floor.kit.hub.kernel;
      const rows = [await store.rows('identities', ''), await store.rows('identity_versions', ''), await store.rows('facts', '')];
      return JSON.stringify(rows).includes(text) ? words : 'gone';
    };
    const kept = wrote('kept');

    beforeAll(async () => {
      eve = await floor.kit.person('eve');
      hers = await floor.agent('HERS', { owner: eve, online: false });
      await put(eve, { version: 0, ...made('HERS', { instructions: 'eves words', memory: 'eves secret' }) }, hers);
      // Carried on by whoever changes something else.
      await put(admin, { version: 1, ...made('HERS', { instructions: 'eves words', memory: 'noted by it', mode: 'strict' }) }, hers);
      await put(admin, { version: 2, ...made('HERS', { instructions: 'words of an admin', memory: 'noted by it' }) }, hers);
    });

    test('[SYS-14] an export holds what their agents are made of', async () => {
      const { identities } = await eve.call('exportMember', { params: { memberId: eve.id } });
      expect(identities.map(({ identity }) => identity.memory)).toEqual(['noted by it']);
    });

    test('[SYS-14] deactivated, their agent goes to another with all it is made of', async () => {
      await floor.kit.owner.call('deactivateMember', { params: { memberId: eve.id } });
      expect((await get(floor.kit.owner, hers)).body).toMatchObject({ version: 3, identity: { instructions: 'words of an admin' } });
    });

    test('[SYS-14] erased, not a word they wrote for it is left, in no version', async () => {
      await floor.kit.owner.call('eraseMember', { params: { memberId: eve.id } });
      expect(await Promise.all(['eves words', 'eves secret', 'words of an admin'].map(kept))).toEqual(['gone', 'gone', 'kept']);
      const { versions: all } = await floor.kit.owner.call('listIdentityVersions', { params: { memberId: hers.id } });
      expect(all.map(({ changedBy }) => changedBy)).toEqual([admin.id, admin.id, null]);
    });

    test('[SYS-14] what an agent of theirs had noted goes with an erased owner, whoever wrote it', async () => {
      const bobs = await floor.agent('BOBS', { owner: floor.bob, online: false });
      await put(admin, { version: 0, ...made('BOBS', { instructions: 'admins order', memory: 'bob likes blue' }) }, bobs);
      await floor.kit.owner.call('eraseMember', { params: { memberId: floor.bob.id } });
      expect(await Promise.all(['bob likes blue', 'admins order'].map(kept))).toEqual(['gone', 'kept']);
    });

    test('[SYS-14] an erased agent leaves nothing of what it was made of', async () => {
      await floor.kit.owner.call('eraseMember', { params: { memberId: hers.id } });
      expect(await kept('words of an admin')).toBe('gone');
      expect((await get(floor.kit.owner, hers)).body.error?.code).toBe('not_found');
    });
  });
});
