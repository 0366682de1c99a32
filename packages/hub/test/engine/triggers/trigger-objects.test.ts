// Triggers, manifests, sources, schedules and monitors: over the API with a history, and in files.

import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOnce, onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { event, startProvoking } from '../../kit/provoke.ts';

onBothEngines('what decides about events', (engine) => {
  const world = makeOnce(
    () => startProvoking(engine),
    (made) => made.kit.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const thing = (more: object = {}) => ({ id: 'thing', match: { type: 'a.thing.crossed' }, agent: 'calm', ...more });
  const params = { kind: 'trigger', id: 'thing' } as const;

  test('[PRV-4] written over the version that was read; each is kept, and it can be taken away and come again', async () => {
    const { owner } = world;
    const first = await owner.call('putProvoke', { params, body: { version: 0, object: thing() } });
    expect(first).toMatchObject({ version: 1, ownerId: owner.id, enabled: true, file: null, object: { match: { filter: [] } } });
    // The same once more is no version.
    expect((await owner.call('putProvoke', { params, body: { version: 1, object: thing() } })).version).toBe(1);
    const stale = await owner.ask('putProvoke', { params, body: { version: 0, object: thing({ description: 'x' }) } });
    expect([stale.status, stale.body.error?.code, stale.body.error?.problems]).toEqual([
      409,
      'version_conflict',
      [{ field: 'version', message: 'is 1 by now' }],
    ]);
    expect(stale.body.error?.message).toBe('The trigger thing has changed since you read it. Read it again.');
    await owner.call('putProvoke', { params, body: { version: 1, object: thing({ description: 'x' }) } });
    const off = await owner.call('enableProvoke', { params, body: { version: 2, enabled: false } });
    expect(off).toMatchObject({ version: 3, enabled: false, object: { enabled: false } });
    expect((await world.emit({ type: 'a.thing.crossed' })).triggers).toMatchObject([{ reason: 'disabled' }]);
    await owner.call('enableProvoke', { params, body: { version: 3, enabled: true } });
    expect((await world.emit({ type: 'a.thing.crossed' })).triggers).toMatchObject([{ outcome: 'run' }]);
    await owner.call('removeProvoke', { params, query: { version: 4 } });
    expect((await owner.ask('getProvoke', { params })).status).toBe(404);
    expect((await world.emit({ type: 'a.thing.crossed' })).triggers).toEqual([]);
    expect((await owner.ask('removeProvoke', { params, query: { version: 0 } })).status).toBe(404);
    const again = await owner.call('putProvoke', { params, body: { version: 0, object: thing() } });
    expect(again.version).toBe(6);
    const { versions } = await owner.call('listProvokeVersions', { params });
    expect(versions.map(({ version, enabled, removed }) => [version, enabled, removed])).toEqual([
      [6, true, false],
      [5, true, true],
      [4, true, false],
      [3, false, false],
      [2, true, false],
      [1, true, false],
    ]);
  });

  test('[PRV-4] an invalid one is refused with each field that is wrong, and what was there stays', async () => {
    const { owner } = world;
    const wrong = {
      ...thing(),
      match: { type: 'a.thing', filter: [{ path: '$..x', operator: 'gt', value: '3' }] },
      throttle: { max_per_window: 0, window_seconds: 1 },
      id: 'other',
      owner: 'ann',
    };
    const refused = await owner.ask('putProvoke', { params, body: { version: 6, object: wrong } });
    expect(refused.body.error?.problems?.map(({ field }) => field)).toEqual([
      'object.match.type',
      'object.match.filter.0.value',
      'object.throttle.max_per_window',
      'object.match.filter.0.path',
      'object.id',
      'object.owner',
    ]);
    const paths = thing({
      match: {
        type: 'a.b.c',
        filter: [
          { path: '$..x', operator: 'exists' },
          { path: '$.a', operator: 'regex', value: '(' },
        ],
      },
    });
    const deeper = await owner.ask('putProvoke', { params, body: { version: 6, object: paths } });
    expect(deeper.body.error?.problems?.map(({ field }) => field)).toEqual(['object.match.filter.0.path', 'object.match.filter.1.value']);
    for (const [kind, object, field] of [
      ['schedule', { id: 'thing', cron: 'never', emit: { type: 'a.b.c' } }, 'object.cron'],
      ['absence', { id: 'thing', match: { type: 'a.b.c' }, within_seconds: 1, emit: { type: 'a.b.c' } }, 'object.emit.type'],
      ['source', { id: 'thing', types: ['energy*'] }, 'object.types.0'],
      ['manifest', { id: 'thing', risk_level: 'huge' }, 'object.risk_level'],
      ['trigger', { ...thing(), id: 'other' }, 'object.id'],
      ['trigger', thing({ owner: 'mia' }), 'object.owner'],
    ] as const) {
      const version = kind === 'trigger' ? 6 : 0;
      const { status, body } = await owner.ask('putProvoke', { params: { kind, id: 'thing' }, body: { version, object } });
      expect([status, body.error?.problems?.[0]?.field]).toEqual([400, field]);
    }
    expect((await owner.call('getProvoke', { params })).version).toBe(6);
  });

  test('[SYS-11] members have their own; tools, keys and sources are given by admins; guests and agents have none', async () => {
    const { put, owner, kit } = world;
    await put('trigger', { id: 'mias', match: { type: 'a.b.c' }, agent: 'calm' }, mia);
    expect((await mia.call('listProvoke', { params: { kind: 'trigger' }, query: {} })).objects.map(({ id }) => id)).toEqual(['mias']);
    expect((await owner.call('listProvoke', { params: { kind: 'trigger' }, query: {} })).objects.map(({ id }) => id)).toContain('mias');
    expect((await mia.ask('getProvoke', { params })).status).toBe(404);
    expect((await mia.ask('listProvokeVersions', { params })).status).toBe(404);
    expect((await mia.ask('putProvoke', { params, body: { version: 6, object: thing() } })).status).toBe(404);
    expect((await mia.ask('removeProvoke', { params, query: { version: 6 } })).status).toBe(404);
    // An admin may change it; it stays hers.
    const changed = await owner.call('putProvoke', {
      params: { kind: 'trigger', id: 'mias' },
      body: { version: 1, object: { id: 'mias', match: { type: 'a.b.d' }, agent: 'calm' } },
    });
    expect(changed.ownerId).toBe(mia.id);
    const refuse = async (who: Person, kind: 'manifest' | 'source' | 'trigger', object: { id: string }) =>
      (await who.ask('putProvoke', { params: { kind, id: object.id }, body: { version: 0, object } })).status;
    expect(await refuse(mia, 'source', { id: 's', types: ['*'] } as never)).toBe(403);
    for (const more of [
      { tools: [{ name: 'x', source: 'mcp://x' }] },
      { model: { provider: 'openai', model_id: 'x' } },
      { deliver_to: { webhook: { url: 'https://example.com' } } },
    ])
      expect(await refuse(mia, 'manifest', { id: 'm', risk_level: 'low', ...more } as never)).toBe(403);
    expect(await refuse(mia, 'manifest', { id: 'm', risk_level: 'low' } as never)).toBe(200);
    const guest = await kit.person('gus', 'guest');
    const agent = await kit.agent('bot');
    for (const who of [guest, agent]) {
      expect(await refuse(who, 'trigger', { ...thing(), id: 'x' })).toBe(403);
      expect((await who.ask('listProvoke', { params: { kind: 'trigger' }, query: {} })).status).toBe(403);
      expect((await who.ask('listInvocations', { query: {} })).status).toBe(403);
    }
  });

  const folder = (name = 'triggers') => join(world.kit.ground.dataDir, name);
  const handleOf = async (memberId: string) => (await world.owner.call('getMember', { params: { memberId } })).handle;
  const scan = () => world.kit.hub.kernel.provokeFiles.scan();
  const triggers = async () =>
    (await world.owner.call('listProvoke', { params: { kind: 'trigger' }, query: {} })).objects
      .filter(({ file }) => file !== null)
      .map(({ id, file, object }) => [id, file, object['description']]);

  test('[PRV-4] files are in force whole or not at all, with line, column and field; reload without a restart', async () => {
    const { owner, emit } = world;
    const both = `pap_version: "0.2"
trigger:
  id: from-file
  description: first
  match:
    type: a.file.said
  agent: filed
---
pap_version: "0.2"
agent:
  id: filed
  risk_level: low
`;
    await writeFile(join(folder(), 'one.yaml'), both);
    await scan();
    expect(await triggers()).toEqual([['from-file', 'triggers/one.yaml', 'first']]);
    expect((await emit({ type: 'a.file.said' })).triggers).toMatchObject([{ outcome: 'run' }]);
    // Wrong in its second half: its first is not taken either.
    const broken = both.replace('description: first', 'description: second').replace('risk_level: low', 'risk_level: huge\n  tools: x');
    await writeFile(join(folder(), 'one.yaml'), broken);
    await scan();
    expect(await triggers()).toEqual([['from-file', 'triggers/one.yaml', 'first']]);
    expect((await owner.call('listProvokeFiles', {})).files).toEqual([
      {
        file: 'triggers/one.yaml',
        problems: [
          expect.objectContaining({ line: 12, column: 3, field: 'agent.risk_level' }),
          expect.objectContaining({ line: 13, column: 3, field: 'agent.tools' }),
        ],
        warnings: [],
      },
    ]);
    await writeFile(join(folder(), 'one.yaml'), both.replace('description: first', 'description: third'));
    await scan();
    expect(await triggers()).toEqual([['from-file', 'triggers/one.yaml', 'third']]);
    expect((await owner.call('listProvokeFiles', {})).files[0]!.problems).toEqual([]);
    // JSON beside it, and a name that another file has.
    await writeFile(
      join(folder('manifests'), 'two.json'),
      JSON.stringify({ pap_version: '0.2', trigger: { id: 'from-file', match: { type: 'a.b.c' }, agent: 'x', owner: 'nobody' } }, null, 1),
    );
    await scan();
    expect((await owner.call('listProvokeFiles', {})).files[0]).toEqual({
      file: 'manifests/two.json',
      problems: [
        { file: 'manifests/two.json', line: 4, column: 3, field: 'trigger.id', message: 'there is one of this id in triggers/one.yaml' },
        { file: 'manifests/two.json', line: 9, column: 3, field: 'trigger.owner', message: 'is not an active person' },
      ],
      warnings: [],
    });
    await rm(join(folder('manifests'), 'two.json'));
    // Over the API it is read and not written.
    const { status, body } = await owner.ask('enableProvoke', {
      params: { kind: 'trigger', id: 'from-file' },
      body: { version: 2, enabled: false },
    });
    expect([status, body.error?.code]).toEqual([409, 'in_folder']);
    expect(body.error?.message).toBe(
      'The trigger from-file is kept in a file: edit triggers/one.yaml in the data folder of the hub. `enabled: false` switches it off.',
    );
    await rename(join(folder(), 'one.yaml'), join(folder('manifests'), 'moved.yml'));
    await scan();
    expect(await triggers()).toEqual([['from-file', 'manifests/moved.yml', 'third']]);
    await rm(join(folder('manifests'), 'moved.yml'));
    await scan();
    expect(await triggers()).toEqual([]);
    expect((await emit({ type: 'a.file.said' })).triggers).toEqual([]);
  });

  test('[PRV-4] a link, an alias bomb, a hundred thousand levels and other bytes are refused, and the others go on', async () => {
    const good = `pap_version: "0.2"\ntrigger: {id: good, match: {type: a.good.one}, agent: calm, owner: mia}\n`;
    await writeFile(join(folder(), 'good.yaml'), good);
    await writeFile(join(folder(), 'deep.yaml'), '['.repeat(100_000));
    await writeFile(join(folder(), 'alias.yaml'), 'a: &a [x]\nb: [*a, *a]\n');
    await writeFile(join(folder(), 'bytes.yaml'), Buffer.from([0xff, 0xfe, 0x00]));
    await writeFile(join(folder(), 'proto.yaml'), 'pap_version: "0.2"\n__proto__: {x: 1}\n');
    await symlink(join(folder(), 'good.yaml'), join(folder(), 'link.yaml'));
    await scan();
    const { files } = await world.owner.call('listProvokeFiles', {});
    expect(files.filter(({ problems }) => problems.length > 0).map(({ file }) => file)).toEqual(
      ['alias', 'bytes', 'deep', 'link', 'proto'].map((name) => `triggers/${name}.yaml`),
    );
    const { objects } = await world.owner.call('listProvoke', { params: { kind: 'trigger' }, query: {} });
    expect(objects.find(({ id }) => id === 'good')?.ownerId).toBe(mia.id);
    expect((await mia.ask('listProvokeFiles', {})).status).toBe(403);
  });

  test('[SYS-9] [PRV-4] the keeper of the files says in them what runs as whom; over the API nobody borrows from them', async () => {
    const text = (owner: string) => `pap_version: "0.2"
trigger: { id: filed-for, match: { type: a.filed.crossed }, agent: filed-with, ${owner} }
agent: { id: filed-with, risk_level: low, tools: [{ name: x, source: "mcp://x" }] }
`;
    await writeFile(join(folder(), 'hers.yaml'), text('owner: mia'));
    await scan();
    await world.put('trigger', { id: 'borrows', match: { type: 'a.filed.crossed' }, agent: 'filed-with' }, mia);
    const sent = await world.emit({ type: 'a.filed.crossed' });
    expect(sent.triggers).toMatchObject([
      { triggerId: 'borrows', outcome: 'rejected', reason: 'no_manifest' },
      { triggerId: 'filed-for', outcome: 'run', reason: null },
    ]);
    const { ownerId } = await world.owner.call('getInvocation', { params: { invocationId: sent.triggers[1]!.invocationId! } });
    expect(ownerId).toBe(mia.id);
    const { results } = await mia.call('testTriggers', { body: { events: [event({ type: 'a.filed.crossed' })] } });
    expect(results.map(({ triggerId, reason }) => [triggerId, reason])).toEqual([
      ['borrows', 'no_manifest'],
      ['filed-for', null],
    ]);
    await rm(join(folder(), 'hers.yaml'));
    await scan();
  });

  test('[SYS-14] [PRV-4] an object that ran as a member who left stays off until its file names an owner, whatever restarts', async () => {
    const text = (owner: string, cron: string) => `pap_version: "0.2"
trigger: { id: left-trigger, match: { type: a.left.one }, agent: left-manifest${owner} }
agent: { id: left-manifest, risk_level: low }
schedule: { id: left-schedule, cron: "${cron}", emit: { type: a.left.one }${owner} }
`;
    const objects = async () =>
      Promise.all(
        (['trigger', 'schedule', 'manifest'] as const).map(async (kind) => {
          const { ownerId, enabled, warnings } = await world.owner.call('getProvoke', { params: { kind, id: `left-${kind}` } });
          return [ownerId, enabled, warnings.length > 0];
        }),
      );
    const first = await world.kit.person('first', 'owner');
    const last = async () => (await world.owner.call('deactivateMember', { params: { memberId: first.id } })).id;
    await writeFile(join(folder(), 'left.yaml'), text(', owner: first', '0 1 * * *'));
    await scan();
    // The same without a word about it: whoever had it keeps it.
    await writeFile(join(folder(), 'left.yaml'), text('', '0 1 * * *'));
    await scan();
    expect((await objects()).slice(0, 2)).toEqual([first, first].map(({ id }) => [id, true, false]));
    await last();
    const [off, on] = [
      [world.owner.id, false, true],
      [world.owner.id, true, false],
    ];
    expect(await objects()).toEqual([off, off, on]);
    await world.kit.restart();
    expect(await objects()).toEqual([off, off, on]);
    // Nor does it come back because something else in it is changed.
    await writeFile(join(folder(), 'left.yaml'), text('', '0 2 * * *'));
    await scan();
    await scan();
    expect(await objects()).toEqual([off, off, on]);
    expect((await world.emit({ type: 'a.left.one' })).triggers).toMatchObject([{ reason: 'disabled' }]);
    await writeFile(join(folder(), 'left.yaml'), text(`, owner: ${await handleOf(world.owner.id)}`, '0 2 * * *'));
    await scan();
    expect(await objects()).toEqual([on, on, on]);
    // Switched off in the file and on again, it is on.
    for (const enabled of [false, true]) {
      await writeFile(join(folder(), 'left.yaml'), text(`, enabled: ${enabled}`, '0 2 * * *'));
      await scan();
      expect((await objects()).map(([, is]) => is)).toEqual([enabled, enabled, true]);
    }
    await rm(join(folder(), 'left.yaml'));
    await scan();
  });

  test('[PRV-4] the same definitions are in force after a restart', async () => {
    await world.kit.restart();
    expect(await triggers()).toEqual([['good', 'triggers/good.yaml', undefined]]);
    expect((await world.emit({ type: 'a.thing.crossed' })).triggers).toMatchObject([{ triggerId: 'thing', outcome: 'run' }]);
  });

  test('[PRV-4] editors get the schema of the files', async () => {
    const stranger = await fetch(new URL('/api/v1/schemas/document', world.kit.url));
    const schema = (await stranger.json()) as { $schema: string; properties: Record<string, object> };
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(Object.keys(schema.properties)).toEqual(['pap_version', 'trigger', 'agent', 'schedule', 'absence']);
    for (const name of ['trigger', 'manifest', 'schedule', 'absence', 'source', 'event'] as const)
      expect((await world.owner.call('getSchema', { params: { name } }))['type']).toBe('object');
    expect((await fetch(new URL('/api/v1/schemas/else', world.kit.url))).status).toBe(400);
  });
});
