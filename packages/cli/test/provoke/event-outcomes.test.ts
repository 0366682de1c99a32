// What the shell says of an event after it was taken: what became of it by now, and what came of the same one before.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AcceptedEvent, Checkpoint } from '@parley/protocol';
import { onBothEngines, SimClock, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { inProcess } from '../in-process.ts';

onBothEngines('what came of an event, told later', (engine) => {
  let kit: TestHub;
  let clock: SimClock;
  let cwd: string;
  let here: string[];
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'parley-again-'));
    clock = new SimClock(Date.now());
    kit = await startTestHub(engine, { clock }, { PARLEY_LOG: 'silent' });
    here = ['--url', kit.url, '--token', kit.owner.token];
    for (const [id, risk] of Object.entries({ calm: 'low', risky: 'high' }))
      await writeFile(
        join(cwd, `${id}.yaml`),
        `pap_version: "0.2"\ntrigger: { id: ${id}, match: { type: host.${id}.found }, agent: ${id} }\nagent: { id: ${id}, risk_level: ${risk} }\n`,
      );
    for (const id of ['calm', 'risky']) await ask(['triggers', 'put', join(cwd, `${id}.yaml`)]);
  });
  afterAll(async () => {
    await kit.stop();
    await rm(cwd, { recursive: true });
  });
  const parley = (args: string[]) => inProcess([...here, ...args]);
  async function ask<T>(args: string[]): Promise<T> {
    const { code, out, err } = await parley(['--json', ...args]);
    if (code !== 0) throw new Error(`parley ${args.join(' ')} ended with ${code}: ${err}`);
    return JSON.parse(out) as T;
  }
  const emit = (type: string, id: string) => ask<AcceptedEvent>(['emit', `host.${type}.found`, '--id', id]);
  const why = async (event: string) => (await parley(['events', 'show', event])).out.trimEnd().split('\n').at(-1)!;
  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await kit.hub.kernel.timers.tick();
    await kit.hub.kernel.runner.settled();
  }

  it('[PRV-16] [PRV-8] a repeat names the one before it that counted, and none that came after it', async () => {
    const [first, repeat] = [await emit('calm', 'same'), await emit('calm', 'same')];
    await pass(8 * 24 * 3_600_000);
    // It was forgotten that it has been there, and so it counted again.
    const [later, again] = [await emit('calm', 'same'), await emit('calm', 'same')];
    expect([first, repeat, later, again].map(({ triggers }) => triggers[0]!.reason)).toEqual([null, 'duplicate', null, 'duplicate']);
    await pass(0);
    const before = (one: AcceptedEvent) => `this event has reached it before, as ${one.id}: ${one.triggers[0]!.invocationId} completed`;
    expect(await why(repeat.id)).toContain(before(first));
    expect(await why(again.id)).toContain(before(later));
    expect((await parley(['emit', 'host.calm.found', '--id', 'same'])).out).toContain(before(later));
  });

  it.runIf(engine === 'sqlite')('[PRV-16] once an event was taken, nothing that is only asked for besides makes emit fail', async () => {
    await emit('calm', 'known');
    const real = globalThis.fetch;
    const away = vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      if (init?.method === 'POST') return real(input, init);
      throw new TypeError('fetch failed');
    });
    try {
      for (const [type, id, told] of [
        ['calm', 'new', /\ncalm +runs +inv_\w+ +nothing stopped it\n$/],
        ['calm', 'known', /\ncalm +stopped +at idempotency: this event has reached it before\n$/],
        ['clam', 'none', /\nNo trigger waits for it\.\n$/],
      ] as const)
        expect(await parley(['emit', `host.${type}.found`, '--id', id])).toEqual({ code: 0, out: expect.stringMatching(told), err: '' });
      expect(await emit('calm', 'as-json')).toMatchObject({ eventId: 'as-json', triggers: [{ outcome: 'run' }] });
    } finally {
      away.mockRestore();
    }
  });

  it('[PRV-16] [PRV-11] of what began and did not come through events show says how it ended', async () => {
    const ids = ['denied', 'cancelled', 'approved', 'left'];
    const taken = new Map<string, AcceptedEvent>();
    for (const id of ids) taken.set(id, await emit('risky', id));
    expect(await why('left')).toMatch(
      /^risky +awaiting approval +inv_\w+ +at risk: needs a person’s approval first \(`npx parley inbox`\)$/,
    );
    const { checkpoints } = await ask<{ checkpoints: Checkpoint[] }>(['inbox']);
    const about = (id: string) => checkpoints.find(({ detail }) => detail!.includes(`"id": "${id}"`))!.id;
    await ask(['inbox', 'deny', about('denied')]);
    await ask(['inbox', 'approve', about('approved')]);
    await ask(['invocations', 'cancel', taken.get('cancelled')!.triggers[0]!.invocationId!]);
    await pass(25 * 3_600_000);
    const more = '`npx parley invocations show` says why';
    const told: string[] = [];
    for (const id of ids) told.push((await why(id)).replaceAll(/ +(?:inv_\w+ +)?/g, ' '));
    expect(told).toEqual([
      'risky denied a person said no',
      `risky cancelled it was cancelled: ${more}`,
      'risky completed approved by a person',
      `risky expired the approval expired: ${more}, and \`npx parley invocations ask\` asks again`,
    ]);
  });
});
