// Nothing of a member goes with their handle: neither when they change it, nor when they are erased, nor when an admin changes it.

import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onBothEngines, Person } from '@parley/testkit';
import { startOwnTools } from '@parley/testkit/mcp-tools';
import { beforeAll, describe, expect, test } from 'vitest';
import { toolsOf } from '../../../src/peers/own-tools.ts';
import { actingAgent } from '../../../src/engine/steps/invocations/acting-agent.ts';
import type { Tx } from '../../../src/engine/command.ts';
import { readRows } from '../../../src/engine/decision-reads.ts';
import { floorFor } from '../../kit/floor.ts';

onBothEngines('a handle that somebody had', (engine) => {
  const { floor, owner } = floorFor(engine, {}, { PARLEY_LOG: 'silent' });
  const rename = (who: Person, id: string, handle: string) => who.ask('editMember', { params: { memberId: id }, body: { handle } });
  const renamed = async (who: Person, id: string, handle: string) => expect((await rename(who, id, handle)).status).toBe(200);

  describe('goes to nobody else without an admin', () => {
    const taken = (answer: { body: { error?: { code: string; message: string } } }) => answer.body.error?.code;

    test('[SYS-11] neither to a member, nor to an agent of theirs, nor to who joins; to its old owner again', async () => {
      const [nora, mel] = [await floor.kit.person('nora'), await floor.kit.person('mel')];
      await renamed(nora, nora.id, 'eleonora');
      expect(taken(await rename(mel, mel.id, 'nora'))).toBe('handle_taken');
      const add = { kind: 'agent', handle: 'N0ra', displayName: 'x', ownerId: mel.id } as const;
      expect(taken(await mel.ask('addMember', { body: add }))).toBe('handle_taken');
      const { secret } = await owner.call('createInvitation', { body: { role: 'member' } });
      const body = { secret, handle: 'nora', displayName: 'x' };
      expect(taken(await new Person(floor.kit.url, '', '', '').ask('openSession', { body }))).toBe('handle_taken');
      await renamed(nora, nora.id, 'nora');
      await renamed(nora, nora.id, 'eleonora');
      await renamed(owner, mel.id, 'nora');
      expect(taken(await rename(nora, nora.id, 'nora'))).toBe('handle_taken');
    });

    test('[SYS-11] not even to who had it for a while, nor to the first one, once an admin gave it on', async () => {
      const [alice, mal] = [await floor.kit.person('alice'), await floor.kit.person('mallory')];
      await renamed(owner, alice.id, 'alice-b');
      await renamed(owner, mal.id, 'alice');
      // Who has it may write it otherwise.
      await renamed(mal, mal.id, 'Alice');
      await renamed(owner, mal.id, 'mallory');
      for (const who of [mal, alice]) expect(taken(await rename(who, who.id, 'alice'))).toBe('handle_taken');
      await renamed(owner, alice.id, 'alice');
    });

    test('[SYS-11] of an erased member, of whose handle no letter is kept', async () => {
      const [gone, max] = [await floor.kit.person('quaxolith'), await floor.kit.person('max')];
      await owner.call('eraseMember', { params: { memberId: gone.id } });
      expect(taken(await rename(max, max.id, 'Quax0lith'))).toBe('handle_taken');
      const rows = await floor.kit.hub.kernel.store.rows('handle_skeletons', {});
      expect(rows.find(({ subject_id }) => subject_id === gone.id)?.skeleton).toMatch(/^#[0-9a-f]{32}$/);
      await renamed(owner, max.id, 'quaxolith');
    });

    test('[SYS-11] of a member with many of them, who has to ask an admin for another', async () => {
      const hoarder = await floor.kit.person('hoarder');
      for (let n = 1; n < 20; n++) await renamed(hoarder, hoarder.id, `name${n}`);
      expect((await rename(hoarder, hoarder.id, 'name20')).body.error?.code).toBe('forbidden');
      await renamed(hoarder, hoarder.id, 'name1');
      await renamed(owner, hoarder.id, 'name20');
    });

    test('[SYS-11] the owner gets a notice of every change by somebody else, an agent’s owner of the agent’s', async () => {
      const lea = await floor.kit.person('lea');
      const hers = await floor.agent('HERS', { owner: lea, online: false });
      await renamed(lea, lea.id, 'leah');
      await renamed(owner, lea.id, 'lena');
      await renamed(owner, hers.id, 'THEIRS');
      const told = (await floor.notices(lea)).filter(({ kind }) => kind === 'handle_changed');
      expect(told.map(({ memberId, agentId }) => [memberId, agentId])).toEqual([
        [owner.id, null],
        [owner.id, hers.id],
      ]);
    });
  });

  describe('brings nothing of theirs', () => {
    let victim: Person;
    let thief: Person;
    const path = (...names: string[]) => join(floor.kit.ground.dataDir, ...names);
    const kernel = () => floor.kit.hub.kernel;
    const scan = async () => {
      await kernel().tools.reload();
      await kernel().folders.scan();
      await kernel().provokeFiles.scan();
    };
    const own = (who: Person) => toolsOf({ store: kernel().store, engine: kernel().engine, servers: kernel().tools }, who.id);
    const agent = async (handle: string) => (await owner.call('listMembers', { query: {} })).members.find((one) => one.handle === handle);
    const memory = async (who: Person) =>
      (await who.ask('getIdentity', { params: { memberId: (await agent('PRIVATE'))!.id } })).body.identity?.memory;
    const triggerOwner = async () => (await owner.call('getProvoke', { params: { kind: 'trigger', id: 'theirs' } })).ownerId;
    const another = '@vic is another person now';

    beforeAll(async () => {
      const server = await startOwnTools('cal', { events: { about: 'what is planned', does: () => 'Surgery' } });
      victim = await floor.kit.person('vic');
      await owner.call('setToolServer', { params: { name: 'api' }, body: { url: server.url, owner: '@Vic' } });
      await writeFile(path('tools.yaml'), `servers:\n  file: { url: "${server.url}", owner: vic }\n`);
      await mkdir(path('agents', 'PRIVATE'), { recursive: true });
      await writeFile(path('agents', 'PRIVATE', 'agent.yaml'), 'owner: vic\n');
      await writeFile(path('agents', 'PRIVATE', 'memory.md'), '- my gate code\n');
      await writeFile(
        path('triggers', 'theirs.yaml'),
        'pap_version: "0.2"\nagent: { id: calm, risk_level: read_only }\n---\npap_version: "0.2"\ntrigger: { id: theirs, owner: vic, agent: calm, match: { type: a.thing.crossed } }\n',
      );
      await scan();
      return async () => server.stop();
    });

    test('[SYS-11] to a member who takes it for a minute', async () => {
      expect(await own(victim)).toEqual(['api/events', 'file/events']);
      expect([await memory(victim), await triggerOwner()]).toEqual(['- my gate code\n', victim.id]);
      await renamed(owner, victim.id, 'victoria');
      thief = await floor.kit.person('vic');
      await floor.kit.restart();
      await scan();
      expect(await own(thief)).toEqual([]);
      expect(await own(victim)).toEqual(['api/events']);
      expect([await memory(thief), await memory(victim)]).toEqual([undefined, '- my gate code\n']);
      expect(await triggerOwner()).toBe(victim.id);
      const { servers } = await owner.call('listToolServers', {});
      expect(servers.map(({ name, owner: whose, problem }) => [name, whose, problem?.includes(another)])).toEqual([
        ['api', '@victoria', undefined],
        ['file', '@vic', true],
      ]);
      const problems = [
        ...kernel()
          .folders.all()
          .flatMap((one) => one.problems),
        ...kernel()
          .provokeFiles.all()
          .flatMap((one) => one.problems),
      ];
      expect(problems.map(({ file, message }) => [file, message.includes(another)])).toEqual([
        ['agents/PRIVATE/agent.yaml', true],
        ['triggers/theirs.yaml', true],
      ]);
    });

    test('[SYS-11] to the same member once the files are saved again', async () => {
      await writeFile(path('agents', 'PRIVATE', 'agent.yaml'), '# saved\nowner: vic\n');
      await writeFile(path('agents', 'PRIVATE', 'memory.md'), '- my new gate code\n');
      await scan();
      expect([await memory(thief), await memory(victim)]).toEqual([undefined, '- my gate code\n']);
    });

    test('[SYS-11] once the name is their own again, all is as it was', async () => {
      await renamed(owner, thief.id, 'thief');
      await scan();
      expect(await own(victim)).toEqual(['api/events', 'file/events']);
      expect(await memory(victim)).toBe('- my new gate code\n');
      expect(
        kernel()
          .provokeFiles.all()
          .flatMap((one) => one.problems),
      ).toEqual([]);
    });

    test('[SYS-11] to the member who takes the handle after its owner is erased', async () => {
      await owner.call('eraseMember', { params: { memberId: victim.id } });
      await renamed(owner, thief.id, 'vic');
      await floor.kit.restart();
      await scan();
      expect(await own(thief)).toEqual([]);
      expect(await memory(thief)).toBeUndefined();
      expect(await triggerOwner()).not.toBe(thief.id);
    });

    test('[SYS-11] a file that writes the ID means that member', async () => {
      await writeFile(path('agents', 'PRIVATE', 'agent.yaml'), `owner: ${thief.id}\n`);
      await scan();
      expect((await agent('PRIVATE'))!.ownerId).toBe(thief.id);
    });
  });

  test('[SYS-11] a manifest acts as the agent that it named, and as no other of that name', async () => {
    const named = await floor.agent('SEER', { owner: floor.ann, online: false });
    const acts = async () => {
      const { store } = floor.kit.hub.kernel;
      const [row] = await store.rows('members', { id: owner.id });
      const found = await readRows(store, [], (set) => actingAgent({ id: 'watch', handle: 'SEER' }, row!, set as Tx));
      return found?.id;
    };
    const object = { id: 'watch', risk_level: 'read_only', handle: 'SEER' };
    await owner.call('putProvoke', { params: { kind: 'manifest', id: 'watch' }, body: { version: 0, object } });
    expect(await acts()).toBe(named.id);
    await renamed(floor.ann, named.id, 'SAGE');
    await floor.agent('SEER', { owner: floor.bob, online: false });
    expect(await acts()).toBe(named.id);
    const { warnings } = await owner.call('getProvoke', { params: { kind: 'manifest', id: 'watch' } });
    expect(warnings.join()).toContain('SEER is another agent now');
    await owner.call('putProvoke', {
      params: { kind: 'manifest', id: 'watch' },
      body: { version: 1, object: { ...object, description: 'x' } },
    });
    expect(await acts()).toBe(named.id);
  });
});
