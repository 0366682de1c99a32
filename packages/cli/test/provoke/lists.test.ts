// Looking at what came, what is watched and what leads nowhere: what a newcomer asks the shell.

import { timeText } from '@parley/core';
import fs from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AcceptedEvent, Checkpoint, CreatedToken, RecordedEvent, Token } from '@parley/protocol';
import { onBothEngines, type Person, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inProcess } from '../in-process.ts';
import { me } from '../../src/hints.ts';

let cwd: string;
let here: string[] = [];

const parley = (args: string[], as: string[] = here, input?: string) =>
  inProcess([...as, ...args.map((arg) => (/^[a-z]+\.(?:yaml|jsonl?)$/.test(arg) ? join(cwd, arg) : arg))], input);
async function ask<T>(args: string[], as: string[] = here): Promise<T> {
  const { code, out, err } = await parley(['--json', ...args], as);
  if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out) as T;
}
const file = (name: string, text: string) => writeFile(join(cwd, name), text);

const disk = `pap_version: "0.2"
trigger:
  id: disk-full
  match:
    type: host.disk.filling
    filter: [{ path: "$.data.used_percent", operator: gt, value: 90 }]
  agent: doctor
---
pap_version: "0.2"
agent: { id: doctor, risk_level: low }
`;

onBothEngines('looking around', (engine) => {
  let kit: TestHub;
  let mia: Person;
  let clock: SimClock;
  let asMia: string[];
  /** What the hub writes to its log. */
  const logged: string[] = [];
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'parley-look-'));
    vi.spyOn(fs, 'writeSync').mockImplementation((_fd, text) => {
      logged.push(text);
      return Buffer.byteLength(text);
    });
    clock = new SimClock(Date.now());
    kit = await startTestHub(engine, { clock }, { PARLEY_LOG: 'warn' });
    here = ['--url', kit.url, '--token', kit.operator.token];
    mia = await kit.person('mia');
    asMia = ['--url', kit.url, '--token', mia.token];
    await file('disk.yaml', disk);
    await ask(['triggers', 'put', 'disk.yaml']);
    clock.advance(1);
  });
  afterAll(async () => {
    await kit.stop();
    vi.restoreAllMocks();
    await rm(cwd, { recursive: true });
  });

  it('[PRV-16] events lists what came and what each came to; show says why', async () => {
    await ask(['emit', 'host.disk.filling', '--id', 'full', '--payload', '{"used_percent":97}']);
    await ask(['emit', 'host.disk.filling', '--id', 'half', '--payload', '{"used_percent":50}']);
    const { id } = await ask<AcceptedEvent>(['emit', 'host.fan.failed', '--id', 'fan']);
    await kit.hub.kernel.runner.settled();
    const told = await parley(['events']);
    expect(told.out).toMatch(/^EVENT[^\n]*\nevt_\w+ +\S+ +host\.fan\.failed +fan +no trigger waits for it\n/);
    expect(told.out).toMatch(/\nevt_\w+ +\S+ +host\.disk\.filling +half +disk-full stopped \(filter\)\n/);
    expect(told.out).toMatch(/\nevt_\w+ +\S+ +host\.disk\.filling +full +disk-full completed\n/);
    const ids = async (...args: string[]) =>
      (await ask<{ events: RecordedEvent[] }>(['events', ...args])).events.map(({ event }) => event.id);
    expect(await ids()).toEqual(['fan', 'half', 'full']);
    expect(await ids('--last', '1')).toEqual(['fan']);
    expect(await ids('--unmatched')).toEqual(['fan', 'half']);
    expect(await ids('--type', 'host.disk.filling')).toEqual(['half', 'full']);
    const shown = await parley(['events', 'show', id]);
    expect(shown.out).toContain('host.fan.failed');
    expect(shown.out).toContain('No trigger waits for it.');
    // By the sender's id as well, which is what the sender knows.
    const full = await parley(['events', 'show', 'full']);
    expect(full.out).toMatch(/"used_percent": 97[^]*\ndisk-full +completed +inv_\w+ +nothing stopped it\n/);
    expect(await parley(['events', 'show', 'none'])).toMatchObject({ code: 3 });
    // Sent again, it says what came of it the first time, and where that stands.
    const { id: first } = (await ask<{ events: RecordedEvent[] }>(['events'])).events.find(({ event }) => event.id === 'full')!;
    const known = new RegExp(`\\ndisk-full +stopped +at idempotency: this event has reached it before, as ${first}: inv_\\w+ completed\\n`);
    expect((await parley(['emit', 'host.disk.filling', '--id', 'full', '--payload', '{"used_percent":98}'])).out).toMatch(known);
    expect((await parley(['events', 'show', 'full'])).out).toMatch(known);
    expect((await parley(['events', '--last', '1'])).out).toMatch(/ full +disk-full stopped \(duplicate\)\n/);
    expect(await parley(['events', 'show'])).toMatchObject({ code: 2, err: expect.stringContaining('Which event?') });
    expect((await parley(['events'], asMia)).out).toContain('that you may see');
  });

  it('[PRV-11] agent list and show say what wakes one that a manifest has brought, and when nothing does any more', async () => {
    const passing = disk.replaceAll('disk-full', 'passing-on').replaceAll('doctor', 'passing').replace('disk.filling', 'lamp.out');
    await file('passing.yaml', passing);
    await ask(['triggers', 'put', 'passing.yaml']);
    await ask(['emit', 'host.lamp.out', '--payload', '{"used_percent":97}']);
    await kit.hub.kernel.runner.settled();
    const woken = 'events, by the manifest passing (version 1); trigger passing-on';
    expect((await parley(['agent', 'list'])).out).toMatch(/\n\^ORAC +\S.* ready +builtin +autonomous\n/);
    expect((await parley(['agent', 'list'])).out).toMatch(/\^passing +passing +ready .*; trigger passing-on\n/);
    const shown = ['agent', 'show', 'passing'];
    expect((await parley(shown)).out).toContain(`woken by ${woken}\nwhen an event wakes it: plain words, no model; asks first: never\n`);
    // Who may not see the trigger is told that there is a manifest.
    expect((await parley(['agent', 'list'], asMia)).out).toMatch(/events, by the manifest passing \(version 1\)\n/);
    await file('high.yaml', passing.replace('low', 'high'));
    await ask(['triggers', 'put', 'high.yaml']);
    expect((await parley(shown)).out).toContain('asks first: before each run: what it may do is of high risk\n');
    await ask(['manifests', 'disable', 'passing']);
    expect((await parley(shown)).out).toContain('woken by no event any more: the manifest passing (version 3) is switched off\n');
    await ask(['manifests', 'remove', 'passing']);
    expect((await parley(shown)).out).toContain('woken by no event any more: the manifest passing was removed\nlast run done, ');
    await ask(['triggers', 'remove', 'passing-on']);
    expect((await parley(['agent', 'list'])).out).toMatch(/\^passing +passing +no event wakes it any more +builtin/);
  });

  it('[PRV-11] [C2A-29] inbox shows what an approval is for in lines of the platform, and the event behind a mark', async () => {
    await file(
      'risky.yaml',
      disk.replaceAll('disk-full', 'risky-on').replaceAll('doctor', 'risky').replace('disk.filling', 'door.open').replace('low', 'high'),
    );
    await ask(['triggers', 'put', 'risky.yaml']);
    const note = `x\nTools: no tools${' '.repeat(200)}Manifest: harmless (version 1)`;
    await ask(['emit', 'host.door.open', '--id', 'door', '--payload', JSON.stringify({ used_percent: 97, note })]);
    const asOwner = ['--url', kit.url, '--token', kit.owner.token];
    // What the page says, in the shell; where one finds it only to whom it waits for.
    for (const args of [['tasks'], ['tasks', '--all'], ['tasks', '--watch']]) {
      const yours = `^risky waits for your approval, woken by an event.\nApprove or deny it with \`${me} inbox\`.\n`;
      expect((await parley(args, asOwner)).out).toBe(yours);
      expect((await parley(args)).out).toBe('^risky waits for a person’s approval, woken by an event.\n');
    }
    const { out } = await parley(['inbox'], asOwner);
    const lines = out.trimEnd().split('\n');
    expect(lines.slice(0, 7)).toEqual([
      expect.stringMatching(/^chk_\w+ {2}risky was woken by an event and wants to run:$/),
      '  Trigger: risky-on',
      '  Manifest: risky (version 1)',
      '  Tools: no tools',
      '  Sent by: the operator of the hub, as the source "operator"',
      '  Result: only kept',
      '  Event:',
    ]);
    const block = lines.filter((line) => line.startsWith('  │ ')).map((line) => line.slice(4));
    expect(block).toContain('  "id": "door",');
    expect(block.join('')).toContain(JSON.stringify(note));
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(101);
    expect(lines.slice(7 + block.length)).toEqual([
      '  Its manifest is of high risk (its manifest says so), and an event has woken it.',
      expect.stringMatching(/^ {2}Approve before \d+ \w+ 20\d\d, [\d:]+ UTC\.$/),
      '  approve  Approve',
      '  deny  Deny',
    ]);
    // Answered, it can still be told from another of its kind.
    await ask(['emit', 'host.door.open', '--id', 'window', '--payload', '{"used_percent":98}']);
    const { checkpoints } = await ask<{ checkpoints: Checkpoint[] }>(['inbox'], asOwner);
    expect((await parley(['events', '--last', '1'])).out).toMatch(/ window +risky-on awaiting approval\n/);
    const brief = (event: string) => [
      expect.stringMatching(/^chk_\w+ {2}risky was woken by an event and wants to run:$/) as string,
      '  Trigger: risky-on',
      '  Manifest: risky',
      `  Event: host.door.open "${event}"`,
    ];
    const answered: string[][] = [];
    for (const { id } of checkpoints) answered.push((await parley(['inbox', 'deny', id], asOwner)).out.split('\n').slice(0, 4));
    expect(answered).toEqual([brief('door'), brief('window')]);
    expect(await parley(['inbox', 'approve', checkpoints[0]!.id], asOwner)).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('It was answered before: Deny.') as string,
    });
    const { out: all } = await parley(['inbox', '--all'], asOwner);
    for (const event of ['door', 'window']) expect(all).toContain(`\n  Event: host.door.open "${event}"\n`);
    expect((await parley(['events', '--last', '1'])).out).toMatch(/ window +risky-on denied\n/);
    await ask(['triggers', 'remove', 'risky-on']);
    expect((await parley(['tasks', '--all'])).out).toBe('No agent has had a task yet.\n');
  });

  it('[PAP-14] [SYS-1] inbox breaks the platform’s own sentence between words, behind no mark, and ends it once', async () => {
    await file(
      'lost.yaml',
      `pap_version: "0.2"
trigger: { id: lost-on, match: { type: host.lost.heard }, agent: lost }
agent: { id: lost, risk_level: low, deliver_to: { conversation: "#nowhere" } }
`,
    );
    const asOwner = ['--url', kit.url, '--token', kit.owner.token];
    await ask(['triggers', 'put', 'lost.yaml'], asOwner);
    const { triggers } = await ask<AcceptedEvent>(['emit', 'host.lost.heard'], asOwner);
    await kit.hub.kernel.runner.settled();
    const { out } = await parley(['inbox'], asOwner);
    const lines = out.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(101);
    expect(out.replaceAll('\n    ', ' ')).toContain(
      `The run that your trigger lost-on started has failed: its result could not be delivered: “There is no such conversation, or its owner may not post there.” \`npx parley invocations show ${triggers[0]!.invocationId}\` shows more.\n  noted  Noted\n`,
    );
    await ask(['triggers', 'remove', 'lost-on'], asOwner);
  });

  it('[PRV-7] emit says which filter does not hold and what it found, to those who may see the trigger', async () => {
    const half = ['emit', 'host.disk.filling', '--payload', '{"used_percent":50}'];
    expect((await parley(half)).out).toContain('at match: $.data.used_percent gt 90 does not hold; it is 50');
    expect((await parley(['emit', 'host.disk.filling'])).out).toContain('$.data.used_percent gt 90 does not hold; it is not there');
    expect((await parley(half, asMia)).out).toContain('No trigger waits for it.');
    // What was found is nobody's but the event's, and goes with it: the fact that stays does not have it.
    const { id } = await ask<AcceptedEvent>(half);
    const [fact] = await kit.hub.kernel.store.rows('facts', "where subject_id = ? and type = 'event.accepted'", [id]);
    expect(fact!.data).not.toContain('used_percent');
    expect((await parley(['events', 'show', id])).out).toContain('$.data.used_percent gt 90 does not hold; it is 50');
    // A trigger that was changed since may have had other filters then.
    const changed = disk.replace('value: 90', 'value: 95');
    await file('changed.yaml', changed);
    await ask(['triggers', 'put', 'changed.yaml']);
    expect((await parley(['events', 'show', id])).out).toContain('at match: a filter does not hold');
    const typo = await parley(['emit', 'host.disc.filling']);
    expect(typo.out + typo.err).toContain('No trigger waits for it. Did you mean host.disk.filling?');
    expect((await parley(['emit', 'host.disc.filling'], asMia)).out).not.toContain('Did you mean');
  });

  it('absences says which keys are watched and which are silent, schedules when they came last and come next', async () => {
    await file(
      'watch.yaml',
      `pap_version: "0.2"
absence: { id: hosts, match: { type: host.heart.beat }, key: $.data.host, within_seconds: 600, emit: { type: host.heart.missing } }
schedule: { id: hourly, cron: "0 * * * *", emit: { type: report.hour.due } }
`,
    );
    await ask(['absences', 'put', 'watch.yaml']);
    const [start] = (await ask<{ objects: { at: number }[] }>(['schedules'])).objects;
    const hour = 3_600_000;
    const next = Math.floor(start!.at / hour + 1) * hour;
    expect((await parley(['schedules'])).out).toContain(`never yet, next ${timeText(next)}`);
    const pass = async (ms: number) => {
      clock.advance(ms);
      await kit.hub.kernel.timers.tick();
    };
    const beat = (host: string) => ask(['emit', 'host.heart.beat', '--payload', JSON.stringify({ host })]);
    clock.advance(1);
    await beat('a');
    await beat('b');
    const [latest] = (await ask<{ events: RecordedEvent[] }>(['events', '--type', 'host.heart.beat'])).events;
    for (const id of [latest!.id, latest!.event.id])
      expect((await parley(['events', 'show', id])).out).toMatch(/\nabsence hosts \(b\) counted it, as it was defined then\n$/);
    const heard = clock.now();
    await pass(300_000);
    await beat('b');
    await pass(300_000);
    expect((await parley(['absences'])).out).toMatch(/\nhosts .* 1 watched, 1 silent\n/);
    const shown = await parley(['absences', 'show', 'hosts']);
    expect(shown.err).toMatch(new RegExp(`"a" +silent since ${timeText(heard)}\\n`));
    expect(shown.err).toMatch(new RegExp(`"b" +last seen ${timeText(heard + 300_000)}, silent at ${timeText(heard + 900_000)}\\n`));
    // What is shown can still be put again.
    expect(JSON.parse(shown.out)).toMatchObject({ absence: { id: 'hosts' } });
    await beat('a');
    expect((await parley(['absences'])).out).toMatch(/\nhosts .* 2 watched\n/);
    await pass(next + 1000 - clock.now());
    expect((await parley(['schedules', 'show', 'hourly'])).err).toContain(`last ${timeText(next)}, next ${timeText(next + hour)}`);
    await ask(['schedules', 'disable', 'hourly']);
    expect((await parley(['schedules'])).out).not.toContain('next');
  });

  it('[PRV-16] trigger test takes an event as emit does, and its exit code says whether something would run', async () => {
    const test = (used: number, ...more: string[]) =>
      parley(['trigger', 'test', 'host.disk.filling', '--payload', JSON.stringify({ used_percent: used }), ...more]);
    expect(await test(97)).toMatchObject({ code: 0, out: expect.stringMatching(/^disk-full and evt_\S+: it runs\.\n/) });
    expect(await test(50)).toMatchObject({ code: 3, out: expect.stringContaining('it is stopped.') });
    expect(await test(97, '--trigger', 'disk.yaml')).toMatchObject({ code: 0, out: expect.stringContaining('it runs') });
    expect(await test(50, '--trigger', 'disk.yaml', '--id', 'mine')).toMatchObject({
      code: 3,
      out: expect.stringMatching(/^disk-full and mine:/),
    });
    expect(await parley(['trigger', 'test', 'host.nobody.waits'])).toMatchObject({ code: 3, out: 'No trigger waits for it.\n' });
    expect(await parley(['trigger', 'test', 'host.disk.filling', '--event', 'event.json'])).toMatchObject({ code: 2 });
    // What a monitor leaves out is filled in, line by line.
    const { code, out } = await parley(['emit', '--lines'], here, '{"type":"host.disk.filling","data":{"used_percent":97}}\n{"data":{}}\n');
    expect(code).toBe(2);
    const [taken, refused] = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(taken).toMatchObject({ eventId: expect.stringMatching(/^evt_/) as string, triggers: [{ outcome: 'run' }] });
    expect(refused).toMatchObject({ error: { problems: [{ field: 'type', message: 'is required' }] } });
  });

  it('[PRV-18] a webhook whose secret is not set is told at put, in the list, and in the hub’s log; not to strangers', async () => {
    await file('prom.yaml', 'id: prom\ntypes: [alertmanager.*]\nwebhook: { verify: secret, secret: promm }\n');
    const unset = 'The secret promm is not set.';
    expect((await parley(['sources', 'put', 'prom.yaml'])).err).toBe(`source prom: ${unset}\n`);
    const listed = await parley(['sources']);
    expect(listed.out).toMatch(/\nprom +on, see below .* alertmanager\.\*; webhook by secret promm\n/);
    expect(listed.err).toContain(`prom: ${unset}\n`);
    const send = (secret: string) =>
      fetch(`${kit.url}/api/v1/webhooks/alertmanager/prom`, { method: 'POST', headers: { authorization: `Bearer ${secret}` }, body: '{}' });
    const refused = async () => ((await (await send('x')).json()) as { error: { message: string } }).error.message;
    const told = 'The secret or the signature is not the one of this source.';
    expect(await refused()).toBe(told);
    expect(logged.filter((line) => line.includes('promm'))).toEqual([expect.stringContaining('The secret promm is not set')]);
    await parley(['secrets', 'set', 'promm'], here, 'right');
    expect((await parley(['sources'])).err).not.toContain(unset);
    // A wrong one is a stranger's, and nothing is wrong here.
    expect(await refused()).toBe(told);
    expect(logged.filter((line) => line.includes('promm'))).toHaveLength(1);
  });

  it('[PRV-4] a source stands in a file as a trigger does, or by itself', async () => {
    await file('meter.yaml', 'pap_version: "0.2"\nsource: { id: meter, types: [energy.*] }\n---\nid: bare\ntypes: [energy.*]\n');
    expect((await parley(['sources', 'put', 'meter.yaml'])).out).toBe('source meter: version 1, on.\nsource bare: version 1, on.\n');
    const shown = await parley(['sources', 'show', 'meter']);
    expect(JSON.parse(shown.out)).toEqual({ pap_version: '0.2', source: expect.objectContaining({ id: 'meter' }) as unknown });
    // As it was, so no new version.
    expect((await parley(['sources', 'put', '-'], here, shown.out)).out).toBe('source meter: version 1, on.\n');
    await file('bad.yaml', 'source: { id: meter, types: [energy.*] }\n');
    expect(await parley(['sources', 'put', 'bad.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('bad.yaml:1:1 pap_version must be'),
    });
    await file('bad.yaml', 'pap_version: "0.2"\nsource: { types: [energy.*] }\n');
    expect(await parley(['sources', 'put', 'bad.yaml'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('bad.yaml:2:1 source.id is required'),
    });
    // With lines, and all of it at once.
    await file('bad.yaml', 'source: { id: meter, typs: [energy.*] }\n---\nid: bare\ntypes: [energy.*, x]\n');
    const { err } = await parley(['sources', 'put', 'bad.yaml']);
    expect(err).toContain('bad.yaml:1:1 source.types is required');
    expect(err).toContain('bad.yaml:1:22 source.typs is not a field here, but types is');
    expect(err).toContain('bad.yaml:1:1 pap_version must be');
    expect(err).toContain('bad.yaml:4:19 types.1 must be a type');
  });

  it('[SYS-11] a member is not told that there is nothing where there is something that they may not see', async () => {
    const gus = await kit.person('gus');
    const asGus = ['--url', kit.url, '--token', gus.token];
    for (const name of ['triggers', 'manifests', 'sources', 'schedules', 'absences'])
      expect((await parley([name], asGus)).out).toContain(`There are no ${name} that you may see.`);
    expect((await parley(['invocations'], asGus)).out).toBe('There are no invocations that you may see.\n');
    expect((await parley(['trigger', 'test', 'host.disk.filling'], asGus)).out).toBe('No trigger that you may see waits for it.\n');
    const { id } = await ask<AcceptedEvent>(['emit', 'host.disk.filling'], asGus);
    expect((await parley(['events', 'show', id], asGus)).out).toContain('No trigger that you may see waits for it.');
    expect((await parley(['events'], asGus)).out).toContain('no trigger that you may see waits for it');
  });

  it('tokens are listed, and revoked by id or label', async () => {
    const make = (label: string) => ask<CreatedToken>(['token', 'create', '--member', 'mia', '--label', label]);
    const [one, twin] = [await make('the meter'), await make('twin')];
    const other = await make('twin');
    const { tokens } = await ask<{ tokens: Token[] }>(['token', 'list'], asMia);
    expect(tokens.map(({ label }) => label)).toEqual(expect.arrayContaining(['the meter', 'twin', 'twin']));
    expect((await parley(['token', 'list'])).out).toMatch(new RegExp(`\\n${one.token.id} +the meter +person +@mia +\\S+Z`));
    expect((await parley(['token', 'list'])).out).not.toContain(one.secret);
    expect((await parley(['token', 'revoke', 'the meter'], asMia)).out).toContain(`Revoked ${one.token.id}`);
    expect((await ask<{ tokens: Token[] }>(['token', 'list'], asMia)).tokens.map(({ label }) => label)).not.toContain('the meter');
    const both = await parley(['token', 'revoke', 'twin'], asMia);
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining(twin.token.id) });
    expect(both.err).toContain(other.token.id);
    expect(await parley(['token', 'revoke', 'no such label'], asMia)).toMatchObject({ code: 3 });
    // A secret typed by mistake is not said again.
    const slip = await parley(['token', 'revoke', twin.secret], asMia);
    expect(slip).toMatchObject({ code: 2, err: expect.stringContaining('not by its secret') });
    expect(slip.err).not.toContain(twin.secret);
  });
});
