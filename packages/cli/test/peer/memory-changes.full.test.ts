import { expect, test } from 'vitest';
import { newBackupKey, writeBackup } from '@parley/a2acp';
import { commands, dinnerPair, latest, opened, untilProposal } from './negotiation-kit.ts';

const day = 86_400_000;

test('[A2C-31] an old value is verified again, a contradiction is noted, and a block purges all of it', async () => {
  const [ann, bob, relay] = await dinnerPair();
  await untilProposal(ann, bob);
  for (const clock of [ann, bob, relay]) clock.ahead += 91 * day;
  expect((await commands(ann).memory({ address: bob.address }))[0]!.cache[0]).toMatchObject({ field: 'dietary', confidence: 'low' });
  await commands(bob).setField({ field: 'dietary', value: 'vegan' });
  await untilProposal(ann, bob);
  const again = (await opened(bob)).findLast(({ needs }) => needs);
  expect(again!.needs!.map(({ field }) => field)).toContain('dietary');
  expect((await latest(ann)).notes).toMatchObject([
    { notice: 'memory_changed', details: { field: 'dietary', before: 'none', value: 'vegan' } },
  ]);
  expect((await commands(ann).memory({}))[0]!.cache.find(({ field }) => field === 'dietary')).toMatchObject({
    value: 'vegan',
    before: 'none',
    confidence: 'high',
  });

  const edited = await commands(ann).editMemory({ address: bob.address, field: 'Dietary', value: 'none' });
  expect(edited.cache.find(({ field }) => field === 'dietary')).toMatchObject({ value: 'none', before: 'vegan' });
  const secret = { key: newBackupKey() };
  const device = await ann.restored(await writeBackup(ann.peer, secret), secret);
  expect(await commands(device).memory({})).toEqual(await commands(ann).memory({}));

  await expect(commands(ann).editMemory({ address: bob.address, field: 'no field', value: 1 })).rejects.toThrow('no field');
  await expect(commands(ann).memory({ address: 'agent:eve@localhost' })).rejects.toThrow('agent:eve@localhost');
  const forgotten = await commands(ann).editMemory({ address: bob.address, field: 'dietary', value: null });
  expect(forgotten.cache.map(({ field }) => field)).not.toContain('dietary');
  await commands(ann).block({ address: bob.address, isOn: true });
  expect(await commands(ann).memory({})).toEqual([]);
  await expect(commands(ann).editMemory({ address: bob.address, field: 'dietary', value: 'x' })).rejects.toThrow('blocked');
  await commands(bob).forgetMemory({ address: ann.address });
  expect(await commands(bob).memory({})).toEqual([]);
});
