import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ask, parley, running } from '../kit.ts';
import { peerShell } from './commands-kit.ts';
import { newModels, opening } from './model-kit.ts';

const shell = peerShell();
const key = 'sk-the-key-of-ann';

it('[A2C-37] [A2C-35] a person chooses a model by commands, and their peer negotiates with it, running or not', async () => {
  const models = await newModels();
  models.script('small', [opening]);
  const [ann, bob] = [await shell.init('ann'), await shell.init('bob')];
  await shell.peer('ann', 'add', bob);
  await shell.peer('bob', 'add', ann);
  const set = ['model', 'set', '--provider', 'openai_compatible', '--base-url', models.baseUrl('openai_compatible'), '--small', 'small'];

  expect((await shell.tried('ann', 'model', 'show')).out).toContain('negotiates without a model');
  expect(await shell.tried('ann', 'model', 'set', '--provider', 'acme', '--small', 'x')).toMatchObject({ code: 2 });
  expect(await shell.tried('ann', 'model', 'set', '--provider', 'anthropic', '--small', 'x')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Set PARLEY_MODEL_KEY, or name a variable with --key-env.'),
  });
  expect(await shell.tried('ann', ...set, '--second')).toMatchObject({ code: 2, err: expect.stringContaining('no first model yet') });
  const withKey = { ...shell.here, env: { ...shell.here.env, PARLEY_MODEL_KEY: key } };
  expect(await ask(['peer', '--data', 'ann', ...set], withKey)).toMatchObject({ first: { key: 'stored', models: { small: 'small' } } });
  const shown = await shell.tried('ann', 'model', 'show');
  expect(shown.out).toMatch(/first +openai_compatible +small +stored +http/);
  expect(shown.out).not.toContain(key);
  expect((await readFile(join(shell.here.cwd, 'ann', 'peer.db'))).includes(key)).toBe(false);

  const negotiate = ['negotiate', 'agent:bob@localhost', '--intent'];
  const begun = await shell.tried('ann', ...negotiate, 'Dinner on Friday');
  expect(begun.err).toContain('Last step: small (openai_compatible), 90 % sure');
  expect(models.asked.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${key}`]);

  // A peer that runs thinks beside its commands; a model that hangs holds up none of them, and no exit.
  models.script('small', [{ fault: 'hang' }]);
  const run = await running<{ connected: boolean }>(['peer', '--data', 'ann', 'run'], shell.here);
  const { threadId: id } = await shell.peer<{ threadId: string }>('ann', ...negotiate, 'Lunch on Friday');
  await models.heard(2);
  expect(await shell.peer('ann', 'show', id)).toMatchObject({ packets: 0, state: 'INITIATED', model: null });
  expect(await shell.peer('ann', 'model', 'off')).toEqual({ first: null, second: null });
  await run.stop();

  // Without the model the rules send what was still due.
  expect(await shell.peer('ann', 'show', id)).toMatchObject({ packets: 1, model: null });
  expect(await parley(['peer', '--data', 'ann', 'model', 'off', '--second'], shell.here)).toMatchObject({ code: 0 });
});
