// Where a manifest names an address outside: it is sent what came of it, unless that lies in the hub's own network.

import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onBothEngines } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ProvokeWorld, startProvoke } from '../kit/provoke-runs.ts';

onBothEngines('an address outside', (engine) => {
  const came: { headers: IncomingHttpHeaders; body: string }[] = [];
  let answers: (number | { to: string } | { starts: string })[] = [];
  let server: Server;
  let url = '';
  let world: ProvokeWorld;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        came.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
        const next = answers.shift() ?? 200;
        if (typeof next === 'number') response.writeHead(next).end();
        else if ('starts' in next) response.writeHead(200).write(next.starts);
        else response.writeHead(307, { location: next.to }).end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const sends = async (to: string, secret?: string) =>
    (
      await world.wakes([{ text: 'Look here.' }], { deliver_to: { webhook: { url: to, ...(secret === undefined ? {} : { secret }) } } })
    ).run();
  const told = async (id: string) => (await world.facts(id)).map(({ type }) => type).filter((type) => type.endsWith('delivered'));

  test('[PRV-14] is sent what came of it, signed, under one delivery id until it is taken', async () => {
    world = await startProvoke(engine, { env: { PARLEY_WEBHOOK_PRIVATE: '1' } });
    answers = [500];
    const run = await sends(url, 'hook');
    expect([run.state, came.length]).toEqual(['completed', 1]);
    await world.pass(2000);
    expect(came).toHaveLength(2);
    expect(came.map(({ headers }) => headers['parley-delivery'])).toEqual([run.id, run.id]);
    expect(came[1]!.headers['parley-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/);
    expect(JSON.parse(came[1]!.body)).toMatchObject({ invocation: run.id, output: 'Look here.' });
    expect(await told(run.id)).toEqual(['invocation.delivered']);
    // A redirect is no answer: it could lead anywhere.
    came.length = 0;
    answers = [{ to: url }];
    const away = await sends(url);
    expect(came).toHaveLength(1);
    expect(came[0]!.headers).not.toHaveProperty('parley-signature');
    expect(await told(away.id)).toEqual([]);
    // Whatever follows a yes, it is one: more than anybody would read, or what never ends.
    for (const starts of ['x'.repeat(300_000), 'x']) {
      answers = [{ starts }];
      const taken = await sends(url);
      expect(await told(taken.id)).toEqual(['invocation.delivered']);
      await world.pass(2000);
      expect(came.filter(({ headers }) => headers['parley-delivery'] === taken.id)).toHaveLength(1);
    }
    // With a secret that is not there it goes nowhere.
    came.length = 0;
    await sends(url, 'missing');
    expect(came).toEqual([]);
    await world.stop();
  });

  test('[PRV-14] is sent it however often its manifest is written meanwhile', async () => {
    world = await startProvoke(engine, { env: { PARLEY_WEBHOOK_PRIVATE: '1' } });
    answers = [500];
    came.length = 0;
    const run = await sends(url, 'hook');
    const params = { kind: 'manifest', id: run.manifestId } as const;
    for (let version = 1; version <= 101; version++)
      await world.owner.call('enableProvoke', { params, body: { version, enabled: version % 2 === 0 } });
    await world.pass(2000);
    expect(came.map(({ headers }) => [headers['parley-delivery'], 'parley-signature' in headers])).toEqual([
      [run.id, true],
      [run.id, true],
    ]);
    expect(await told(run.id)).toEqual(['invocation.delivered']);
    // With whoever wrote down where it goes, that is gone; which is told.
    const ann = await world.kit.person('ann', 'admin');
    answers = [500];
    const hers = await (await world.wakes([{ text: 'x' }], { deliver_to: { webhook: { url } } }, {}, ann)).run();
    await world.owner.call('eraseMember', { params: { memberId: ann.id } });
    came.length = 0;
    await world.pass(2000);
    expect([came, await told(hers.id)]).toEqual([[], ['invocation.not_delivered']]);
    expect((await world.invocation(hers.id)).error).toBe('Its manifest is not kept any more.');
    await world.stop();
  });

  test('[PAP-14] [SYS-14] what it never takes waits, when its owner has left meanwhile, for who has the trigger now', async () => {
    world = await startProvoke(engine, { env: { PARLEY_WEBHOOK_PRIVATE: '1' } });
    const { owner, kit } = world;
    const bob = await kit.person('bob', 'admin');
    answers = Array.from({ length: 100 }, () => 500);
    const woken = await world.wakes(() => ({ text: 'Seen.' }), { deliver_to: { webhook: { url } } }, {}, bob);
    await woken.run();
    await owner.call('deactivateMember', { params: { memberId: bob.id } });
    for (let left = 13; left > 0; left--) await world.pass(7_200_000);
    const { checkpoints } = await owner.call('listCheckpoints', { query: {} });
    expect(checkpoints.filter(({ kind, text }) => kind === 'failed_run' && text.includes(` ${woken.name} `))).toHaveLength(1);
    // Removed before they left, it was handed to nobody.
    const cyd = await kit.person('cyd', 'admin');
    const gone = await world.wakes(() => ({ text: 'Seen.' }), { deliver_to: { webhook: { url } } }, {}, cyd);
    await gone.run();
    await cyd.call('removeProvoke', { params: { kind: 'trigger', id: gone.name }, query: { version: 1 } });
    await owner.call('deactivateMember', { params: { memberId: cyd.id } });
    answers = Array.from({ length: 100 }, () => 500);
    for (let left = 13; left > 0; left--) await world.pass(7_200_000);
    const all = (await owner.call('listCheckpoints', { query: {} })).checkpoints;
    expect(all.filter(({ kind, text }) => kind === 'failed_run' && text.includes(` ${gone.name} `))).toHaveLength(1);
    answers = [];
    await world.stop();
  });

  test('[PRV-14] in the hub’s own network it is refused, by number and by name', async () => {
    world = await startProvoke(engine);
    came.length = 0;
    for (const to of [
      url,
      url.replace('127.0.0.1', 'localhost'),
      url.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
      'http://169.254.169.254/latest',
    ]) {
      const run = await sends(to);
      expect(await told(run.id), to).toEqual(['invocation.not_delivered']);
      expect((await world.invocation(run.id)).error).toContain('PARLEY_WEBHOOK_PRIVATE=1');
    }
    expect(came).toEqual([]);
    await world.stop();
  });
});
