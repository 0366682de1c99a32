// Whose it is what stands in a file, and what of it stays off: by what the files say, not by who had the id before.

import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeOnce, onBothEngines, waitFor } from '@parley/testkit';
import { expect, test, vi } from 'vitest';
import { startProvoking } from '../../kit/provoke.ts';

/** For whoever saves several files one after the other. */
const quietMs = 300;

onBothEngines('what stands in files', (engine) => {
  const world = makeOnce(
    () => startProvoking(engine),
    (made) => made.kit.stop(),
  );
  const mia = makeOnce(() => world.kit.person('mia'));

  const path = (name: string) => join(world.kit.ground.dataDir, 'triggers', `${name}.yaml`);
  const scan = () => world.kit.hub.kernel.provokeFiles.scan();
  const write = async (name: string, text: string) => {
    await writeFile(path(name), text);
    await scan();
  };

  test('[SYS-9] [PRV-4] is the first owner’s without a notice, also after another owner of the ID', async () => {
    const params = { kind: 'manifest', id: 'deployer' } as const;
    await world.put('manifest', { id: 'deployer', risk_level: 'low' }, mia);
    await mia.call('removeProvoke', { params, query: { version: 1 } });
    await write(
      'deployer',
      `pap_version: "0.2"
agent: { id: deployer, risk_level: low, tools: [{ name: x, source: "mcp://x" }] }
`,
    );
    expect((await world.owner.call('getProvoke', { params })).ownerId).toBe(world.owner.id);
    // With its tools, which are not for her to give.
    await world.put('trigger', { id: 'hers', match: { type: 'a.hers.crossed' }, agent: 'deployer' }, mia);
    expect((await world.emit({ type: 'a.hers.crossed' })).triggers).toMatchObject([{ outcome: 'rejected', reason: 'no_manifest' }]);
  });

  test('[SYS-9] [PRV-4] stays whose its file said, though the file says so no more', async () => {
    await write('kept', text('kept', `, owner: ${mia.handle}`));
    await write('kept', text('kept', ', description: anew'));
    const whose = async (kind: 'trigger' | 'manifest', id: string) =>
      (await world.owner.call('getProvoke', { params: { kind, id } })).ownerId;
    expect([await whose('trigger', 'kept'), await whose('manifest', 'kept-m')]).toEqual([mia.id, world.owner.id]);
    // Away and there again, it is as if it had never been.
    await rm(path('kept'));
    await scan();
    await write('kept', text('kept', ''));
    expect(await whose('trigger', 'kept')).toBe(world.owner.id);
  });

  test('[PRV-4] is taken up when it is written, without anybody who asks for it', async () => {
    // Before the first look nobody has begun to watch.
    await scan();
    const after = vi.spyOn(world.clock, 'after');
    const inForce = async (id: string) => (await world.owner.ask('getProvoke', { params: { kind: 'manifest', id } })).status;
    await writeFile(path('seen'), 'pap_version: "0.2"\nagent: { id: seen, risk_level: low }\n');
    // Who watches has been told, and waits a moment for more; the clock alone would wait for much longer.
    await waitFor(() => expect(after).toHaveBeenCalledWith(quietMs, expect.any(Function)));
    after.mockRestore();
    expect(await inForce('seen')).toBe(404);
    world.clock.advance(quietMs);
    await waitFor(async () => expect(await inForce('seen')).toBe(200));
  });

  const text = (name: string, more: string) => `pap_version: "0.2"
trigger: { id: ${name}, match: { type: a.${name}.one }, agent: ${name}-m${more} }
agent: { id: ${name}-m, risk_level: low }
`;
  const state = async (name: string) => {
    const { ownerId, enabled, warnings } = await world.owner.call('getProvoke', { params: { kind: 'trigger', id: name } });
    return { mine: ownerId === world.owner.id, enabled, warned: warnings.some((one) => one.includes('Name an owner in its file')) };
  };
  const off = { mine: true, enabled: false, warned: true };
  /** Ran as somebody who has left; its file does not say who it runs as now. */
  const left = async (name: string, more = '') => {
    const { id, handle } = await world.kit.person(`${name}er`, 'admin');
    await write(name, text(name, `, owner: ${handle}${more}`));
    await write(name, text(name, more));
    await world.owner.call('deactivateMember', { params: { memberId: id } });
    expect(await state(name)).toEqual(off);
  };

  test.each<[string, (name: string) => Promise<void>]>([
    [
      'gets another name',
      async (name) => {
        await rename(path(name), path(`${name}-too`));
        await scan();
      },
    ],
    [
      'is away for a moment',
      async (name) => {
        await rm(path(name));
        await scan();
        await write(name, text(name, ''));
      },
    ],
    [
      'switches it off and on',
      async (name) => {
        for (const enabled of [false, true]) {
          await write(name, text(name, `, enabled: ${enabled}`));
          expect(await state(name)).toEqual(off);
        }
      },
    ],
  ])('[SYS-14] [PRV-4] stays off when the member it ran as has left and its file %s, until the file names an owner', async (how, act) => {
    const name = how.split(' ').at(-1)!;
    await left(name);
    await act(name);
    expect(await state(name)).toEqual(off);
    const { handle } = await world.owner.call('getMember', { params: { memberId: world.owner.id } });
    for (const file of [name, `${name}-too`]) await rm(path(file), { force: true });
    await write(name, text(name, `, owner: ${handle}`));
    expect(await state(name)).toEqual({ mine: true, enabled: true, warned: false });
  });

  test('[SYS-14] [PRV-4] stays off, too, when it was off in its file as they left', async () => {
    await left('idle', ', enabled: false');
    await write('idle', text('idle', ''));
    expect(await state('idle')).toEqual(off);
    // A restart reads it again.
    await world.kit.restart();
    expect(await state('idle')).toEqual(off);
  });

  const problems = () => world.kit.hub.kernel.provokeFiles.all().flatMap((one) => one.problems.map(({ file, message }) => [file, message]));
  const stands = async (...names: string[]) => {
    const rows = await world.kit.hub.kernel.store.rows('provoke_objects', 'where removed_at is null order by kind desc, id');
    return rows.filter(({ id }) => names.includes(id)).map(({ id, file, version }) => [id, file, version]);
  };
  const clear = async (...names: string[]) => {
    for (const name of names) await rm(path(name));
    await scan();
    expect(problems()).toEqual([]);
  };

  test('[PRV-4] ids move between files in one look: they swap, and go to a file that is read before', async () => {
    await writeFile(path('s1'), text('swap1', ''));
    await write('s2', text('swap2', ''));
    await writeFile(path('s1'), text('swap2', ''));
    await write('s2', text('swap1', ''));
    expect(problems()).toEqual([]);
    expect(await stands('swap1', 'swap2', 'swap2-m')).toEqual([
      ['swap1', 'triggers/s2.yaml', 1],
      ['swap2', 'triggers/s1.yaml', 1],
      ['swap2-m', 'triggers/s1.yaml', 1],
    ]);
    await write('z', `${text('moves', '')}---\n${text('stays', '')}`);
    await writeFile(path('aa'), text('moves', ', enabled: false'));
    await write('z', text('stays', ''));
    expect(problems()).toEqual([]);
    expect(await stands('moves', 'stays', 'moves-m')).toEqual([
      ['moves', 'triggers/aa.yaml', 2],
      ['stays', 'triggers/z.yaml', 1],
      ['moves-m', 'triggers/aa.yaml', 1],
    ]);
    // A file that is wrong keeps what it had, and the one that would take it waits; nothing is in force nowhere.
    await writeFile(path('aa'), `${text('moves', '')}---\n${text('stays', '')}`);
    await write('z', text('other', ', owner: nobody'));
    expect(problems()).toEqual([
      ['triggers/aa.yaml', 'there is one of this id in triggers/z.yaml'],
      ['triggers/aa.yaml', 'there is one of this id in triggers/z.yaml'],
      ['triggers/z.yaml', 'is not an active person'],
    ]);
    expect(await stands('moves', 'stays', 'other')).toEqual([
      ['moves', 'triggers/aa.yaml', 2],
      ['stays', 'triggers/z.yaml', 1],
    ]);
    await clear('s1', 's2', 'aa', 'z');
    expect(await stands('swap1', 'swap2', 'moves', 'stays', 'other')).toEqual([]);
  });

  test('[PRV-4] a link to the folder is the folder, and one that leads nowhere is reported; endings count in any case', async () => {
    const folder = join(world.kit.ground.dataDir, 'triggers');
    await writeFile(join(folder, 'UPPER.YAML'), text('upper', ''));
    await rename(folder, `${folder}-kept`);
    await symlink(`${folder}-kept`, folder);
    await write('linked', text('linked', ''));
    expect(problems()).toEqual([]);
    expect(await stands('upper', 'linked')).toEqual([
      ['linked', 'triggers/linked.yaml', 1],
      ['upper', 'triggers/UPPER.YAML', 1],
    ]);
    await rm(join(folder, 'UPPER.YAML'));
    await scan();
    expect(await stands('upper')).toEqual([]);
    await rm(folder);
    await symlink(`${folder}-away`, folder);
    await scan();
    expect(problems()).toEqual([['triggers', 'must be a folder, or a link to one']]);
    // What stood in it stays in force.
    expect(await stands('linked')).toHaveLength(1);
    await rm(folder);
    await rename(`${folder}-kept`, folder);
    await clear('linked');
  });

  test('[PRV-4] files that are passed over and may have been meant are reported: other endings, and folders below; not notes and copies', async () => {
    const folder = join(world.kit.ground.dataDir, 'triggers');
    const meant = ['price.offsite', 'price.older', 'price.tmpl', 'price.toml', 'price.yml.txt'];
    const aside = ['README', 'LICENSE', 'price', 'README.md', 'price.yaml.bak2', 'price.OLD', 'price.yaml.off', 'price.yaml.sample'];
    const left = ['.price.yaml.swp', 'price.yaml~', '#price.yaml#', 'price.yaml___jb_tmp___', '4913', 'price.yaml.tmp.4242'];
    const none = [...aside, ...left];
    for (const name of [...meant, ...none]) await writeFile(join(folder, name), text('passed', ''));
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below', 'price.yaml'), text('passed', ''));
    const away = `${folder}-elsewhere`;
    await mkdir(away);
    const links = { team: away, 'team.off': away, nowhere: `${away}-not`, notes: join(folder, 'README') };
    for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
    await scan();
    const notLookedInto = 'not looked into: files stand beside it, and not in a folder below';
    expect(problems()).toEqual([
      ['triggers/below', `is ${notLookedInto}`],
      ...meant.map((name) => [`triggers/${name}`, 'is not read: the name must end in .yaml, .yml or .json']),
      ['triggers/team', `is a link to a folder, and ${notLookedInto}`],
    ]);
    expect(await stands('passed')).toEqual([]);
    for (const name of [...meant, ...none, ...Object.keys(links), 'below']) await rm(join(folder, name), { recursive: true });
    await rm(away, { recursive: true });
    await scan();
    expect(problems()).toEqual([]);
  });
});
