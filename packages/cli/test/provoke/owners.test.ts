// What the commands say of triggers that are not all one's own, or too many to tell one by one.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AcceptedEvent } from '@parley/protocol';
import { Matcher } from '@parley/hub/regex';
import { onBothEngines, Random, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inProcess } from '../in-process.ts';

const lines = (values: unknown[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');

onBothEngines('triggers of others, and many of them', (engine) => {
  let kit: TestHub;
  let cwd: string;
  const state = { isSlow: false };
  /** Everything matches, unless all is too slow. */
  const matcher = () =>
    new Matcher({
      answering: () => ({
        run: ([first]) =>
          Promise.resolve(
            state.isSlow ? { answers: [], stopped: { at: 0, ms: 1 } } : { answers: [{ value: first!.kind === 'match' || null, ms: 0 }] },
          ),
        close: () => Promise.resolve(),
      }),
    });
  beforeAll(async () => {
    kit = await startTestHub(engine, { matcher }, { PARLEY_LOG: 'silent' });
    cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    const params = { kind: 'manifest', id: 'planner' } as const;
    await kit.owner.call('putProvoke', { params, body: { version: 0, object: { id: 'planner', risk_level: 'low' } } });
  });
  afterAll(async () => {
    await kit.stop();
    await rm(cwd, { recursive: true });
  });

  const parley = (args: string[]) => inProcess(['--url', kit.url, '--token', kit.operator.token, ...args]);
  async function ask<T>(args: string[]): Promise<T> {
    const { code, out, err } = await parley(['--json', ...args]);
    if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  }

  it('[PRV-16] [SYS-9] simulate wakes no manifest that is not the trigger’s owner’s to use, as the hub does not', async () => {
    const { simulated, mia } = { simulated: 'a.mia.simulated', mia: await kit.person('mia') };
    const params = { kind: 'trigger', id: 'of-mia' } as const;
    const object = { id: 'of-mia', match: { type: simulated }, agent: 'planner' };
    await mia.call('putProvoke', { params, body: { version: 0, object } });
    expect((await ask<AcceptedEvent>(['emit', simulated])).triggers).toMatchObject([{ reason: 'no_manifest' }]);
    const of = async () => {
      const report = await ask<{ differs: number; triggers: { triggerId: string; would: object }[] }>(['simulate', '--last', '1']);
      return [report.differs, report.triggers.map(({ triggerId, would }) => [triggerId, would])];
    };
    expect(await of()).toEqual([0, [['of-mia', { no_manifest: 1 }]]]);
    await mia.call('putProvoke', { params, body: { version: 1, object: { ...object, agent: 'mias' } } });
    const manifest = { kind: 'manifest', id: 'mias' } as const;
    await mia.call('putProvoke', { params: manifest, body: { version: 0, object: { id: 'mias', risk_level: 'low' } } });
    await ask(['emit', simulated]);
    expect(await of()).toEqual([0, [['of-mia', { run: 1 }]]]);
    // Nor does anything run as somebody who may have nothing run.
    await kit.owner.call('editMember', { params: { memberId: mia.id }, body: { role: 'guest' } });
    await ask(['emit', simulated]);
    expect(await of()).toEqual([0, []]);
    await kit.owner.call('removeProvoke', { params, query: { version: 2 } });
  });

  it('[PRV-7] [PRV-16] of many triggers none of which lets it through emit says how many wait; a dry run, what it left out', async () => {
    const many = 'a.many.waited';
    const file = join(cwd, 'hundred.jsonl');
    const event = { pap_version: '0.2', type: many, source: 'test', time: '2026-03-11T06:00:00Z', data: {} };
    const put = async (id: string) => {
      const object = { id, match: { type: many, filter: [{ path: '$.data.a', operator: 'eq', value: 1 }] }, agent: 'planner' };
      await kit.owner.call('putProvoke', { params: { kind: 'trigger', id }, body: { version: 0, object } });
    };
    await put('many-0');
    expect((await parley(['emit', many])).out).toContain('many-0');
    for (let i = 1; i < 21; i++) await put(`many-${i}`);
    const { out } = await parley(['emit', many]);
    expect(out).toMatch(/\n21 triggers wait for its type, and none let it through: `[^`]+ trigger test` says why\.\n$/);
    await writeFile(file, lines(Array.from({ length: 100 }, (_, i) => ({ ...event, id: `h${i}` }))));
    const told = await parley(['trigger', 'test', '--event', file]);
    expect(told.out).toMatch(/\n1100 more results were left out: give fewer events\.\n$/);
    for (let i = 0; i < 21; i++)
      await kit.owner.call('removeProvoke', { params: { kind: 'trigger', id: `many-${i}` }, query: { version: 1 } });
  });

  it('[PRV-6] of many triggers in files those say so that were too slow', async () => {
    const type = 'a.long.text';
    const document = (i: number) => {
      const filter = [{ path: `$.data.${i === 0 ? 'long' : 'short'}`, operator: 'regex', value: '(a|b)*a(a|b){400}[^ab]' }];
      return { pap_version: '0.2', trigger: { id: `t${i}`, match: { type, filter }, agent: 'planner' } };
    };
    const file = join(cwd, 'files.jsonl');
    await writeFile(file, lines(Array.from({ length: 21 }, (_, i) => document(i))));
    const event = { pap_version: '0.2', id: 'e', type, source: 'test', time: '2026-03-11T06:00:00Z' };
    const told = async (long: string) => {
      const { out } = await inProcess(['trigger', 'test', '--trigger', file], lines([{ ...event, data: { long } }]));
      return (JSON.parse(out) as AcceptedEvent).triggers.map(({ triggerId, reason }) => [triggerId, reason]);
    };
    const random = new Random(3);
    // Takes seconds, of which it has a tenth of one.
    const long = Array.from({ length: 200_000 }, () => (random.int(2) === 0 ? 'a' : 'b')).join('');
    expect(await told(long)).toEqual([['t0', 'too_slow']]);
    expect(await told('abab')).toEqual([]);
  });

  it('[PRV-6] [SYS-5] simulate takes what was too slow from the record, and does not time it again', async () => {
    const type = 'a.slow.text';
    const object = { id: 'slow', match: { type, filter: [{ path: '$.data.text', operator: 'regex', value: 'x' }] }, agent: 'planner' };
    const put = (version: number, value: string) => {
      object.match.filter[0]!.value = value;
      return kit.owner.call('putProvoke', { params: { kind: 'trigger', id: 'slow' }, body: { version, object } });
    };
    await put(0, 'x');
    state.isSlow = true;
    const sent = await ask<AcceptedEvent>(['emit', type, '--payload', '{"text":"xyz"}']);
    expect(sent.triggers).toMatchObject([{ triggerId: 'slow', reason: 'too_slow' }]);
    state.isSlow = false;
    const report = () => ask<object>(['simulate', '--last', '1']);
    expect(await report()).toMatchObject({
      differs: 0,
      triggers: [{ triggerId: 'slow', was: { too_slow: 1 }, would: { too_slow: 1 } }],
    });
    // With another regex it is another question.
    const other = join(cwd, 'other.jsonl');
    const changed = { ...object, match: { type, filter: [{ path: '$.data.text', operator: 'regex', value: '^x' }] } };
    await writeFile(other, lines([{ pap_version: '0.2', trigger: changed }]));
    expect(await ask(['simulate', '--last', '1', '--trigger', other])).toMatchObject({
      triggers: [{ triggerId: 'slow', was: { too_slow: 1 }, would: { run: 1 } }],
    });
  });
});
