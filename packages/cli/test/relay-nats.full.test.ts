import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { advice, isRequired } from '@parley/testkit/programs';
import { frameFrom, newIdentity, RelayClient, type RelayIdentity } from '@parley/testkit/relay';
import { expect, inject, it, onTestFinished } from 'vitest';
import { parley, running } from './kit.ts';

it('[SYS-7] three relay processes over NATS are one relay: invite at none of them, register and write at any', async ({ skip }) => {
  const url = inject('natsUrl');
  skip(url === undefined && !isRequired('nats-server'), advice['nats-server']);
  const cwd = await mkdtemp(join(tmpdir(), 'parley-cli-nats-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const env = { PARLEY_RELAY_PORT: '0', PARLEY_RELAY_NAME: 'relay.example', PARLEY_RELAY_NATS: url!, PARLEY_RELAY_NATS_PREFIX: 'cli' };
  const relays = [];
  for (let n = 0; n < 3; n += 1) relays.push(await running<{ url: string; key: string }>(['relay'], { cwd, env }));
  expect(new Set(relays.map(({ key }) => key)).size).toBe(1);
  const people: RelayIdentity[] = [];
  for (const [index, name] of ['ann', 'bob'].entries()) {
    const invited = await parley(['relay', 'invite'], { cwd, env });
    expect(invited.out).toContain(`at relay.example (the relay on ${url})`);
    const who = newIdentity(name, 'relay.example');
    const client = await RelayClient.connect(relays[index]!.url);
    expect(await client.register(who, invited.out.trim().split(' ').at(-1)!)).toMatchObject({ type: 'ready' });
    people.push(who);
    await client.leave();
  }
  const [ann, bob] = people as [RelayIdentity, RelayIdentity];
  const [writer, reader] = [await RelayClient.connect(relays[1]!.url), await RelayClient.connect(relays[2]!.url)];
  expect([await writer.login(ann), await reader.login(bob)]).toMatchObject([{ type: 'ready' }, { type: 'ready' }]);
  expect(await writer.sendFrame(frameFrom(ann, bob, 'across'))).toMatchObject({ type: 'stored' });
  expect(await reader.received(1)).toEqual(['across']);
  for (const relay of relays) expect(await relay.stop()).toMatchObject({ code: 0 });
  const away = await parley(['relay'], { cwd, env: { ...env, PARLEY_RELAY_NATS: 'nats://127.0.0.1:1' } });
  expect(away).toMatchObject({ code: 69, err: expect.stringContaining('No NATS server answers at nats://127.0.0.1:1') });
  expect(await parley(['relay'], { cwd, env: { ...env, PARLEY_RELAY_NATS: 'localhost' } })).toMatchObject({
    code: 2,
    err: expect.stringContaining('PARLEY_RELAY_NATS must be URLs of NATS servers'),
  });
});
