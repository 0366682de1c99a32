// What leads nowhere, or never came into force, is told wherever somebody could wonder why nothing happens.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onBothEngines, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';

onBothEngines('what leads nowhere', (engine) => {
  let kit: TestHub;
  let cwd: string;
  let here: string[] = [];
  let asMia: string[];
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'parley-nowhere-'));
    kit = await startTestHub(engine, {}, { PARLEY_LOG: 'silent' });
    here = ['--url', kit.url, '--token', kit.operator.token];
    asMia = ['--url', kit.url, '--token', (await kit.person('mia')).token];
    await file('fine.yaml', `${trigger('fine', 'doctor')}---\n${manifest('doctor')}`);
    await ask(['triggers', 'put', 'fine.yaml']);
  });
  afterAll(async () => {
    await kit.stop();
    await rm(cwd, { recursive: true });
  });
  const parley = (args: string[], as: string[] = here) =>
    inProcess([...as, ...args.map((arg) => (/^[a-z]+\.(?:yaml|json)$/.test(arg) ? join(cwd, arg) : arg))]);
  async function ask<T>(args: string[]): Promise<T> {
    const { code, out, err } = await parley(['--json', ...args]);
    if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  }
  const file = (name: string, text: string) => writeFile(join(cwd, name), text);
  const trigger = (id: string, agent: string) =>
    `pap_version: "0.2"\ntrigger: { id: ${id}, match: { type: host.${id}.found }, agent: ${agent} }\n`;
  const manifest = (id: string, more = '') => `pap_version: "0.2"\nagent: { id: ${id}, risk_level: low${more} }\n`;

  it('[PRV-16] what leads nowhere is told: at put, in lists, in show, of files, and by trigger test and emit', async () => {
    const shouter = manifest('shouter', ', deliver_to: { conversation: "#opss" }');
    const lost = [trigger('lost', 'disk-docter'), trigger('mute', 'shouter'), shouter].join('---\n');
    await file('lost.yaml', lost);
    const noManifest = 'There is no manifest disk-docter that its owner may use.';
    const noChannel = 'There is no conversation #opss, or its owner may not post there.';
    const put = await parley(['triggers', 'put', 'lost.yaml']);
    expect(put).toMatchObject({ code: 0, out: expect.stringContaining('trigger lost: version 1, on.') });
    expect(put.err).toContain(`trigger lost: ${noManifest}\n`);
    expect(put.err).toContain(`manifest shouter: ${noChannel}\n`);
    const listed = await parley(['triggers']);
    expect(listed.out).toMatch(/\nlost +on, see below/);
    expect(listed.out).toMatch(/\nfine +on +@/);
    expect(listed.err).toContain(`lost: ${noManifest}\n`);
    expect(listed.err).toContain(`mute: ${noChannel}\n`);
    expect((await parley(['triggers', 'show', 'lost'])).err).toContain(noManifest);
    // Another's manifest is there, and not theirs to use.
    await file('mias.yaml', 'pap_version: "0.2"\ntrigger: { id: mias, match: { type: host.lost.found }, agent: doctor }\n');
    expect((await parley(['triggers', 'put', 'mias.yaml'], asMia)).err).toContain('There is no manifest doctor that its owner may use.');
    // A slip is told with what may have been meant, of what is theirs to use.
    await file('slip.yaml', trigger('slip', 'docter'));
    expect((await parley(['triggers', 'put', 'slip.yaml'])).err).toBe(
      'trigger slip: There is no manifest docter that its owner may use. Did you mean doctor?\n',
    );
    await ask(['triggers', 'remove', 'slip']);
    await file('slip.yaml', trigger('mine', 'docter'));
    expect((await parley(['triggers', 'put', 'slip.yaml'], asMia)).err).toBe(
      'trigger mine: There is no manifest docter that its owner may use.\n',
    );
    const emitted = await parley(['emit', 'host.lost.found']);
    expect(emitted.out).toMatch(/\nlost +rejected +its owner may use no manifest[^\n]*; see below\n/);
    expect(emitted.err).toContain(`lost: ${noManifest}\n`);
    // What begins and is known to lead nowhere does not read as if all were well; of what others have nothing is told.
    const muted = await parley(['emit', 'host.mute.found']);
    expect(muted.out).toMatch(/\nmute +runs +inv_\w+ +nothing stopped it; see below\n/);
    expect(muted.err).toBe(`mute: ${noChannel}\n`);
    expect((await parley(['emit', 'host.mute.found'], asMia)).err).toBe('');
    await kit.hub.kernel.runner.settled();
    expect((await parley(['events', 'show', /evt_[0-9A-Z]{26}/.exec(muted.out)![0]])).out).toMatch(
      /\nmute +failed +inv_\w+ +it began, and failed: `npx parley invocations show` says why\n/,
    );
    // It came through, and what it said went nowhere: both are said.
    expect((await parley(['invocations', 'show', /inv_\w+/.exec(muted.out)![0]])).out).toMatch(
      / is failed\. There is no such conversation[^]*\n1 +succeeded, not delivered +20/,
    );
    await file(
      'event.json',
      JSON.stringify({ pap_version: '0.2', id: 'x', type: 'host.mute.found', source: 's', time: '1970-01-01T00:00:00Z', data: {} }),
    );
    const tried = await parley(['trigger', 'test', '--event', 'event.json']);
    expect(tried.out).toContain(`mute and x: it begins, and fails. ${noChannel}`);
    expect(tried.out).not.toContain('it runs');
    await ask(['triggers', 'remove', 'lost']);
    await ask(['triggers', 'remove', 'mute']);
    await mkdir(join(kit.ground.dataDir, 'triggers'), { recursive: true });
    await writeFile(join(kit.ground.dataDir, 'triggers', 'lost.yaml'), lost.split('---')[0]!);
    await kit.hub.kernel.provokeFiles.scan();
    expect(await kit.owner.call('listProvokeFiles', {})).toEqual({
      files: [{ file: 'triggers/lost.yaml', problems: [], warnings: [`trigger lost: ${noManifest}`] }],
    });
    expect((await parley(['triggers'])).err).toContain(`lost: ${noManifest}\n`);
  });

  it('[PRV-4] of a file with something wrong in it the list says which version stays in force', async () => {
    await writeFile(join(kit.ground.dataDir, 'triggers', 'lost.yaml'), 'pap_version: "0.2"\ntrigger: { id: lost, agent: "" }\n');
    await kit.hub.kernel.provokeFiles.scan();
    const { err } = await parley(['triggers']);
    expect(err).toMatch(/Not in force: triggers\/lost\.yaml:2:\d+ +trigger\.match: [^\n]*\n/);
    const lost = (await ask<{ objects: { id: string; version: number }[] }>(['triggers'])).objects.find(({ id }) => id === 'lost');
    expect(err).toContain(`Of triggers/lost.yaml version ${lost!.version} of lost stays in force.\n`);
    // Nor is what nobody reads passed over in silence.
    await writeFile(join(kit.ground.dataDir, 'triggers', 'price.toml'), '');
    await kit.hub.kernel.provokeFiles.scan();
    const ending = 'Not in force: triggers/price.toml  (file): is not read: the name must end in .yaml, .yml or .json\n';
    expect((await parley(['triggers'])).err).toContain(ending);
  });
});
