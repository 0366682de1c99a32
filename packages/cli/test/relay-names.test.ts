// The relay on a hub's port gives nobody from outside a name that is a member's (A2C-1).

import { onBothEngines, startTestHub } from '@parley/testkit';
import { newIdentity, RelayClient } from '@parley/testkit/relay';
import { inviteTo } from '@parley/relay';
import { expect, onTestFinished, test } from 'vitest';
import { relayToMount } from '../src/mounted-relay.ts';

onBothEngines('names on a hub’s relay', (engine) => {
  test('[A2C-1] [SYS-11] from outside nobody registers a member’s handle, a role’s or a reserved one, nor what looks like it', async () => {
    const mount = relayToMount({})!;
    let mounted!: Awaited<ReturnType<typeof mount>>;
    const kit = await startTestHub(engine, { mount: async (...given) => (mounted = await mount(...given)) }, { PARLEY_LOG: 'silent' });
    onTestFinished(() => kit.stop());
    await kit.person('ada_l');
    await kit.owner.call('addRole', { body: { handle: 'desk', holderIds: [] } });
    await kit.person('a-handle-of-32-letters-of-an-owl');
    for (const handle of ['erased', 'left-9']) {
      const { id: memberId } = await kit.person(handle);
      await kit.owner.call('eraseMember', { params: { memberId } });
    }
    const register = async (name: string, code: string) => {
      const client = await RelayClient.connect(`${kit.url.replace('http', 'ws')}/relay`);
      const identity = newIdentity(name);
      const answer = (await client.register(identity, code)) as { type: string; code?: string; message?: string };
      await client.leave();
      return { identity, said: answer.code ?? answer.type, message: answer.message };
    };
    const outside = async () => (await inviteTo(mounted.relay.store, Date.now())).code;

    const exact = ['matt', 'ada_l', 'ada_1', 'desk', 'de5k', 'platform', 'all'];
    const gone = ['erased', 'era5ed', 'erased-2', 'left-9'];
    const cut = ['a-handle-of-32-letters-of-an', 'ahandleof32lettersofan', 'a-handle-of-32-letters-of-an-2'];
    // With a number, and with other signs between the letters.
    const near = ['matt-2', 'matt.10', 'ada-l', 'adal', 'm.a.t.t', 'de-sk', 'desk-l', 'a-ll', 'al1'];
    for (const name of [...exact, ...gone, ...cut, ...near])
      expect([name, (await register(name, await outside())).said]).toEqual([name, 'name_taken']);
    for (const name of ['matthew', 'matt-b', 'a-handle-of', 'left'])
      expect([name, (await register(name, await outside())).said]).toEqual([name, 'ready']);
    expect((await register('matt', await outside())).message).toContain('Choose another name');
    const code = await outside();
    await register('desk', code);
    // A refused name does not use the invitation up.
    expect((await register('friend', code)).said).toBe('ready');
    // The hub's own people get their names.
    expect((await register('matt', await mounted.invite())).said).toBe('ready');
    // Who was here first stays: a member's later handle takes no address away.
    const early = await register('early', await outside());
    await kit.person('early');
    const back = await RelayClient.connect(`${kit.url.replace('http', 'ws')}/relay`);
    expect(await back.login(early.identity)).toMatchObject({ type: 'ready' });
    await back.leave();
  });
});
