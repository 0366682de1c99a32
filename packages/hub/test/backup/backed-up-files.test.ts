import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, restoreBackup, startHub } from '@parley/hub';
import { onBothEngines, Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backUp, filesIn, repack } from '../kit/backup.ts';

const trigger = (id: string) => `pap_version: "0.2"
trigger: { id: ${id}, match: { type: a.${id}.one }, agent: ${id}-m }
agent: { id: ${id}-m, risk_level: low }
`;
const tools = 'servers:\n  notes:\n    command: ["true"]\n';

onBothEngines('files of agents, triggers, manifests and tools', (engine) => {
  let source: TestHub;
  let folder: string;
  let path: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-files-'));
    source = await startTestHub(engine, { clock: new SimClock(Date.now()) }, { PARLEY_LOG: 'silent' });
    const inside = (name: string) => join(source.ground.dataDir, name);
    await mkdir(inside('agents/helper'));
    await writeFile(inside('agents/helper/agent.yaml'), 'about: helps\n');
    await writeFile(inside('agents/helper/notes.txt'), 'no part of it');
    for (const name of ['one', 'two']) await writeFile(inside(`triggers/${name}.yaml`), trigger(name));
    await writeFile(inside('triggers/README.md'), 'no part of it');
    await symlink('/etc/hostname', inside('triggers/link.yaml'));
    await writeFile(inside('tools.yaml'), tools);
    const { provokeFiles, folders } = source.hub.kernel;
    await provokeFiles.scan();
    await folders.scan();
    path = join(folder, 'backup');
    await backUp(source.ground, path);
  });
  afterAll(async () => {
    await source.stop();
    await rm(folder, { recursive: true });
  });

  /** A hub on a restored backup, what its owner sees, and what ends it. */
  const started = async (dataDir: string) => {
    const hub = await startHub(readConfig({ PARLEY_PORT: '0', PARLEY_DATA: dataDir, PARLEY_LOG: 'silent' }), { sync: false });
    const machine = new Person(hub.url, hub.dataDir.operatorKey, '', 'operator');
    const { secret } = await machine.call('createToken', { body: { kind: 'person', memberId: source.owner.id, label: 'new' } });
    const owner = new Person(hub.url, secret, source.owner.id, 'matt');
    const find = (id: string) => owner.ask('getProvoke', { params: { kind: 'trigger', id } });
    return { hub, owner, find, scan: () => hub.kernel.provokeFiles.scan() };
  };

  test('[SYS-15] [PRV-4] are in the backup and come back, but never over a file; another’s tools.yaml starts nothing', async () => {
    const dataDir = join(folder, 'restored');
    await mkdir(join(dataDir, 'triggers'), { recursive: true });
    await writeFile(join(dataDir, 'triggers', 'two.yaml'), trigger('mine'));
    const report = await restoreBackup({ path, dataDir, epoch: 'aaaa' });
    expect(report.files).toEqual(['agents/helper/agent.yaml', 'tools.yaml', 'triggers/one.yaml', 'triggers/two.yaml']);
    expect(report.aside).toEqual(['tools.yaml', 'triggers/two.yaml']);
    expect(await readFile(join(dataDir, 'triggers', 'one.yaml'), 'utf8')).toBe(trigger('one'));
    expect(await readFile(join(dataDir, 'triggers', 'two.yaml'), 'utf8')).toBe(trigger('mine'));
    expect(await readFile(join(dataDir, 'tools.yaml.restored'), 'utf8')).toBe(tools);
    expect(await filesIn(dataDir)).not.toContain('tools.yaml');
    expect(await filesIn(join(dataDir, 'agents'))).toEqual(['helper', 'helper/agent.yaml']);

    // With the key it is known whose they are.
    const trusted = join(folder, 'trusted');
    await mkdir(trusted);
    await cp(join(source.ground.dataDir, 'backup.key'), join(trusted, 'backup.key'));
    expect((await restoreBackup({ path, dataDir: trusted, epoch: 'aaaa' })).aside).toEqual([]);
    expect(await readFile(join(trusted, 'tools.yaml'), 'utf8')).toBe(tools);
  });

  test('[SYS-15] [PRV-4] that a backup lacks leave their objects: the first file saved removes none, and the API edits them', async () => {
    const bare = join(folder, 'bare');
    // As an earlier version made it.
    await repack(path, bare, (lines) =>
      lines.filter((line) => !('f' in line)).map((line) => (line.end ? { end: { ...line.end, files: undefined } as never } : line)),
    );
    const dataDir = join(folder, 'without');
    await restoreBackup({ path: bare, dataDir, epoch: 'aaaa' });
    const { hub, owner, find, scan } = await started(dataDir);
    await writeFile(join(dataDir, 'triggers', 'three.yaml'), trigger('three'));
    await scan();
    for (const id of ['one', 'two', 'three']) expect((await find(id)).status).toBe(200);
    const { version, object } = (await find('one')).body;
    const put = await owner.ask('putProvoke', { params: { kind: 'trigger', id: 'one' }, body: { version, object } });
    expect([put.status, put.body.error]).toEqual([200, undefined]);
    const agent = (await owner.call('listMembers', { query: {} })).members.find(({ handle }) => handle === 'helper')!;
    const { identity, version: written } = await owner.call('getIdentity', { params: { memberId: agent.id } });
    expect((await owner.ask('putIdentity', { params: { memberId: agent.id }, body: { ...identity, version: written } })).status).toBe(200);
    // A file that was here takes its objects along, and over a restart.
    await rm(join(dataDir, 'triggers', 'three.yaml'));
    await hub.stop();
    const again = await started(dataDir);
    expect([(await again.find('three')).status, (await again.find('two')).status]).toEqual([404, 200]);
    await again.hub.stop();
  });

  test('[SYS-15] whose names lead elsewhere stop the restore', async () => {
    for (const f of [
      'triggers/../../out.yaml',
      '/etc/out',
      'agents/a/../b',
      'triggers/.hidden.yaml',
      'hub.json',
      'secrets/anthropic',
      'triggers/a\nb.yaml',
    ]) {
      const forged = join(folder, 'forged');
      await repack(path, forged, (lines) => lines.map((line) => ('f' in line ? { ...line, f } : line)));
      const dataDir = join(folder, 'never');
      await expect(restoreBackup({ path: forged, dataDir, epoch: 'aaaa' })).rejects.toMatchObject({ failure: 'damaged' });
      expect(await filesIn(dataDir)).toEqual([]);
    }
  });
});
