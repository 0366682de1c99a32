import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onBothEngines } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { floorFor } from '../kit/floor.ts';

onBothEngines('agents kept in folders', (engine) => {
  const { floor } = floorFor(engine);
  let root: string;
  beforeAll(async () => {
    root = join(floor.kit.ground.dataDir, 'agents');
  });

  const write = async (handle: string, files: Record<string, string>) => {
    await mkdir(join(root, handle), { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(join(root, handle, name), text);
  };
  const scan = () => floor.kit.hub.kernel.folders.scan();
  const member = async (handle: string) =>
    (await floor.kit.owner.call('listMembers', { query: {} })).members.find((one) => one.handle.toLowerCase() === handle.toLowerCase());
  const identity = async (handle: string) => floor.kit.owner.call('getIdentity', { params: { memberId: (await member(handle))!.id } });
  const problems = async (handle: string) =>
    (await floor.kit.owner.call('listAgentFolders', {})).folders.find((one) => one.handle === handle)?.problems;

  const whole = 'name: Abacus\nabout: adds\nowner: ann\nmanager: bob\nmode: strict\ntools: [mcp://sums]\nbrain:\n  kind: builtin\n';

  test('[SYS-8] a new folder is a new agent, with an owner who answers for it', async () => {
    await write('ABACUS', { 'agent.yaml': whole, 'instructions.md': 'Add.\n', 'memory.md': '- likes tens\n' });
    await write('PLAIN', { 'agent.yaml': '' });
    await scan();
    expect(await identity('ABACUS')).toMatchObject({
      version: 1,
      source: 'folder',
      problems: [],
      identity: {
        profile: { handle: 'ABACUS', displayName: 'Abacus', about: 'adds' },
        instructions: 'Add.\n',
        memory: '- likes tens\n',
        tools: ['mcp://sums'],
        brain: { kind: 'builtin' },
        mode: 'strict',
        manager: 'bob',
      },
    });
    expect(await member('ABACUS')).toMatchObject({ ownerId: floor.ann.id, managerId: floor.bob.id });
    // With nobody named, the first owner of the workspace does.
    expect(await member('PLAIN')).toMatchObject({ ownerId: floor.kit.owner.id, displayName: 'PLAIN' });
  });

  test('a change is a version, found within seconds by the clock alone; what is the same is none', async () => {
    await write('ABACUS', { 'instructions.md': 'Add, then add.\n' });
    floor.clock.advance(5000);
    await scan();
    expect(await identity('ABACUS')).toMatchObject({ version: 2, identity: { instructions: 'Add, then add.\n' } });
    await write('ABACUS', { 'agent.yaml': `# a remark\n${whole}` });
    await scan();
    await floor.kit.restart();
    expect((await identity('ABACUS')).version).toBe(2);
  });

  test('what is wrong is told with file, line, column and field, and the last good one stays in force', async () => {
    await write('ABACUS', {
      'agent.yaml': whole.replace('strict', 'reckless').replace('builtin', 'borrowed'),
      'instructions.md': 'Subtract.',
    });
    await scan();
    const { version, identity: now, problems: found } = await identity('ABACUS');
    expect([version, now.instructions, now.mode]).toEqual([2, 'Add, then add.\n', 'strict']);
    expect(found.map(({ file, line, column, field }) => [file, line, column, field])).toEqual([
      ['agents/ABACUS/agent.yaml', 5, 1, 'mode'],
      ['agents/ABACUS/agent.yaml', 8, 3, 'brain.kind'],
    ]);
    expect(await problems('ABACUS')).toEqual(found);
  });

  test.each<[string, string, unknown[]]>([
    ['a field that is none', 'name: X\nsurname: Y\n', ['surname', 2]],
    ['YAML that is none', 'name: [\n', ['(yaml)', 1]],
    ['a key twice', 'name: X\nname: Y\n', ['(yaml)', 2]],
    ['a server without its address', 'brain:\n  kind: model\n  provider: openai_compatible\n  model: m\n', ['brain.baseUrl', 1]],
    ['an owner nobody knows', 'name: X\nowner: nobody\n', ['owner', 2]],
    ['an agent as owner', 'owner: ABACUS\n', ['owner', 1]],
    ['a manager nobody knows', '\n\nmanager: nobody\n', ['manager', 3]],
    [
      'aliases without end',
      'a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n',
      ['(yaml)', 3],
    ],
  ])('%s makes no agent', async (_name, text, [field, line]) => {
    await write('WRONG', { 'agent.yaml': text });
    await scan();
    expect(await member('WRONG')).toBeUndefined();
    expect((await problems('WRONG'))![0]).toMatchObject({ field, line });
    await rm(join(root, 'WRONG'), { recursive: true });
  });

  test('what the workspace has against it may come right by itself', async () => {
    await write('LATER', { 'agent.yaml': 'owner: zoe\n' });
    await scan();
    expect((await problems('LATER'))![0]).toMatchObject({ field: 'owner' });
    const zoe = await floor.kit.person('zoe');
    await scan();
    expect([await problems('LATER'), (await member('LATER'))!.ownerId]).toEqual([[], zoe.id]);
  });

  test('links and names that are no handles are refused; a folder that has somebody’s name as well', async () => {
    await mkdir(join(floor.kit.ground.dataDir, 'outside'));
    await writeFile(join(floor.kit.ground.dataDir, 'outside', 'agent.yaml'), '');
    await symlink(join(floor.kit.ground.dataDir, 'outside'), join(root, 'LINKED'));
    await write('INNER', {});
    await symlink(join(floor.kit.ground.dataDir, 'operator.key'), join(root, 'INNER', 'instructions.md'));
    await symlink(join(floor.kit.ground.dataDir, 'outside', 'agent.yaml'), join(root, 'INNER', 'agent.yaml'));
    await write('all', { 'agent.yaml': '' });
    await write('ann', { 'agent.yaml': '' });
    await scan();
    expect(await Promise.all(['LINKED', 'INNER', 'all'].map(member))).toEqual([undefined, undefined, undefined]);
    expect((await problems('LINKED'))![0]!.message).toContain('no link');
    expect((await problems('INNER'))!.map(({ file }) => file)).toEqual(['agents/INNER/agent.yaml', 'agents/INNER/instructions.md']);
    expect((await problems('all'))![0]!.field).toBe('handle');
    expect((await problems('ann'))![0]).toMatchObject({ field: 'handle', file: 'agents/ann' });
    for (const name of ['LINKED', 'INNER', 'all', 'ann']) await rm(join(root, name), { recursive: true });
  });

  test('a folder agent is edited in its files, and nowhere else', async () => {
    await write('ABACUS', { 'agent.yaml': whole });
    await scan();
    const { version, identity: now } = await identity('ABACUS');
    expect(now.instructions).toBe('Subtract.');
    const { id: memberId } = (await member('ABACUS'))!;
    const refused = [
      await floor.ann.ask('putIdentity', { params: { memberId }, body: { ...now, version } }),
      await floor.ann.ask('restoreIdentity', { params: { memberId, version: '1' }, body: { version } }),
      await floor.ann.ask('editAgent', { params: { memberId }, body: { brain: 'remote' } }),
      await floor.ann.ask('editMember', { params: { memberId }, body: { displayName: 'Other' } }),
    ];
    for (const { body } of refused) {
      expect(body.error).toMatchObject({ code: 'in_folder', message: expect.stringContaining('agents/ABACUS/') });
      expect(body.error!.message).not.toContain(floor.kit.ground.dataDir);
    }
    expect((await floor.ann.ask('editAgent', { params: { memberId }, body: { maxConcurrent: 2 } })).status).toBe(200);
    expect((await floor.bob.ask('listAgentFolders', {})).body.error?.code).toBe('forbidden');
  });

  test('its folder gone, it stays as it was, and is edited over the API; back, the files win', async () => {
    const { id: memberId } = (await member('ABACUS'))!;
    await rename(join(root, 'ABACUS'), join(root, '.ABACUS'));
    await scan();
    const { source, version, identity: now } = await identity('ABACUS');
    expect([source, version, now.instructions, (await member('ABACUS'))!.status]).toEqual(['api', 3, 'Subtract.', 'active']);
    await floor.ann.call('putIdentity', { params: { memberId }, body: { ...now, instructions: 'Divide.', version } });
    await rename(join(root, '.ABACUS'), join(root, 'ABACUS'));
    await scan();
    expect(await identity('ABACUS')).toMatchObject({ source: 'folder', version: 5, identity: { instructions: 'Subtract.' } });
  });
});
