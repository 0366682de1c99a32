import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { running } from '../kit.ts';
import { peerShell } from './commands-kit.ts';

const shell = peerShell();

it('[A2C-1] [A2C-3] [A2C-4] two people exchange cards and sealed packets by commands, with and without `run`', async () => {
  expect(await shell.tried('ann', 'list')).toMatchObject({ code: 3, err: expect.stringContaining('No peer lives in ann') });
  const [ann, bob] = [await shell.init('ann'), await shell.init('bob')];
  expect(await shell.tried('ann', 'init', '--name', 'eve', '--relay', shell.relay.url, '--code', 'x')).toMatchObject({
    code: 1,
    err: expect.stringContaining('holds agent:ann@localhost already'),
  });
  for (const file of ['peer.db', 'peer.key', 'peer.lock']) expect((await stat(join(shell.here.cwd, 'ann', file))).mode & 0o777).toBe(0o600);

  expect(await shell.tried('ann', 'send', 'agent:bob@localhost', '--context', '{}')).toMatchObject({ code: 3 });
  expect(await shell.tried('ann', 'add', 'a2acp1.damaged.card')).toMatchObject({ code: 2 });
  expect(await shell.peer('ann', 'add', bob)).toMatchObject({ address: 'agent:bob@localhost', trust: 'pinned' });
  await shell.peer('bob', 'add', ann);
  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"day":"Friday"}');
  expect(await shell.contexts('bob')).toEqual([{ day: 'Friday' }]);

  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"name":"a\u009b31m\u202eb"}', '--new');
  expect((await shell.tried('bob', 'inbox')).out).toContain('{"name":"a 31m b"}');

  // Commands at the same moment wait for each other.
  await Promise.all([1, 2, 3].map((n) => shell.peer('ann', 'send', 'agent:bob@localhost', '--context', `{"n":${n}}`, '--new')));
  expect(await shell.contexts('bob')).toHaveLength(5);

  const run = await running<{ connected: boolean }>(['peer', '--data', 'bob', 'run'], shell.here);
  expect(run).toMatchObject({ connected: true });
  await shell.peer('bob', 'send', 'agent:ann@localhost', '--context', '{"day":"Saturday"}');
  await shell.peer('ann', 'send', 'agent:bob@localhost', '--context', '{"time":"19:00"}');
  expect((await shell.contexts('bob')).at(-1)).toEqual({ time: '19:00' });
  expect(await shell.contexts('ann')).toEqual([{ day: 'Saturday' }]);
  const [one, other] = [
    await shell.peer<{ safetyNumber: string }>('ann', 'verify', 'agent:bob@localhost'),
    await shell.peer<{ safetyNumber: string }>('bob', 'verify', 'agent:ann@localhost'),
  ];
  expect(one.safetyNumber).toBe(other.safetyNumber);
  expect(await shell.tried('bob', 'verify', 'agent:ann@localhost', '--accept', one.safetyNumber.replace(/\d/, 'x'))).toMatchObject({
    code: 2,
  });
  await shell.peer('bob', 'verify', 'agent:ann@localhost', '--accept', one.safetyNumber);
  expect(await shell.peer('bob', 'list')).toMatchObject({ peers: [{ trust: 'verified', alarm: null }] });
  expect(await shell.tried('bob', 'run')).toMatchObject({ code: 69, err: expect.stringContaining('runs in bob already') });
  expect(await run.stop()).toMatchObject({ code: 0, err: '' });
  expect(await shell.contexts('bob')).toHaveLength(6);
});
