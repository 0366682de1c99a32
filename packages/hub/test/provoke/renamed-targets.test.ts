// A result goes where its manifest said when it was written.

import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { Wire } from '../kit/agent-wire.ts';
import { tamper } from '../kit/backup.ts';
import { provokeFor } from '../kit/provoke-runs.ts';

onBothEngines('the destination of a result', (engine) => {
  const world = provokeFor(engine);

  test('[SYS-11] a result goes to the channel and the agent that its manifest named, whatever is named so later', async () => {
    const stranger = await world.kit.person('stranger');
    const channel = async (name: string, by: Person) => (await by.call('createChannel', { body: { name } })).id;
    const ops = await channel('ops', world.owner);
    const [soon, seen] = [
      await world.wakes([{ text: 'Soon.' }], { deliver_to: { conversation: '#soon' } }),
      await world.wakes([{ text: 'Seen.' }], { deliver_to: { conversation: '#ops' } }),
    ];
    const helper = await world.kit.agent('AIDE');
    const aided = await world.wakes([{ text: 'Help.' }], { deliver_to: { agent: 'AIDE' } });
    const warnings = async ({ name }: { name: string }) =>
      (await world.owner.call('getProvoke', { params: { kind: 'manifest', id: `m-${name}` } })).warnings.join(' ');
    await world.owner.call('editConversation', { params: { conversationId: ops }, body: { name: 'operations' } });
    await world.owner.call('editMember', { params: { memberId: helper.id }, body: { handle: 'AIDED' } });
    const theirs = [await channel('ops', stranger), await channel('soon', stranger)];
    for (const conversationId of theirs)
      await stranger.call('addToConversation', { params: { conversationId }, body: { memberId: world.owner.id } });
    const other = await world.kit.agent('AIDE', stranger);
    const lines = [await Wire.hello(helper), await Wire.hello(other)];
    expect([(await seen.run()).state, (await soon.run()).state, (await aided.run()).state]).toEqual(['completed', 'failed', 'completed']);
    expect(await world.bodies(ops)).toEqual(['Seen.']);
    for (const id of theirs) expect(await world.bodies(id)).toEqual([]);
    const { tasks } = await world.owner.call('listTasks', { query: { state: 'all' } });
    expect(tasks.flatMap(({ agentId }) => (agentId === helper.id || agentId === other.id ? [agentId] : []))).toEqual([helper.id]);
    for (const line of lines) await line.close();
    expect(await warnings(seen)).toContain('#ops is another conversation now');
    expect(await warnings(soon)).toContain('#soon meant no conversation when the manifest was written');
    expect(await warnings(aided)).toContain('AIDE is another agent now');
    // A second one of its name, which its owner was added to.
    await world.owner.call('editConversation', { params: { conversationId: theirs[0]! }, body: { name: 'elsewhere' } });
    await world.owner.call('editConversation', { params: { conversationId: ops }, body: { name: 'ops' } });
    const { id: second } = await stranger.call('createChannel', { body: { name: 'second', visibility: 'private' } });
    await stranger.call('addToConversation', { params: { conversationId: second }, body: { memberId: world.owner.id } });
    await stranger.ask('editConversation', { params: { conversationId: second }, body: { name: 'ops' } });
    expect((await seen.run()).state).toBe('completed');
    expect(await world.bodies(ops)).toEqual(['Seen.', 'Seen.']);
  });

  test('[SYS-11] a manifest of before the upgrade means what its names meant at the upgrade', async () => {
    const stranger = await world.kit.person('latecomer');
    const { id: mine } = await world.owner.call('createChannel', { body: { name: 'reports' } });
    const seen = await world.wakes([{ text: 'Reported.' }], { deliver_to: { conversation: '#reports' } });
    await world.kit.restart({}, async () => tamper(world.kit.ground, "delete from name_pins where place like 'manifest%'"));
    await world.owner.call('editConversation', { params: { conversationId: mine }, body: { name: 'old-reports' } });
    const { id: theirs } = await stranger.call('createChannel', { body: { name: 'reports' } });
    await stranger.call('addToConversation', { params: { conversationId: theirs }, body: { memberId: world.owner.id } });
    expect((await seen.run()).state).toBe('completed');
    expect([await world.bodies(mine), await world.bodies(theirs)]).toEqual([['Reported.'], []]);
  });

  test('[SYS-11] what somebody else’s manifest of the same ID meant before means nothing', async () => {
    const mal = await world.kit.person('planter');
    const make = async (name: string, by: Person) => (await by.call('createChannel', { body: { name } })).id;
    const theirs = await make('digest', mal);
    await mal.call('addToConversation', { params: { conversationId: theirs }, body: { memberId: world.owner.id } });
    const params = { kind: 'manifest', id: 'm-figures' } as const;
    await world.put('manifest', { id: 'm-figures', risk_level: 'read_only', deliver_to: { conversation: '#digest' } }, mal);
    await mal.call('removeProvoke', { params, query: { version: 1 } });
    await mal.call('editConversation', { params: { conversationId: theirs }, body: { name: 'holidays' } });
    const own = await make('digest', world.owner);
    await world.put('manifest', { id: 'm-figures', risk_level: 'low', deliver_to: { conversation: '#digest' } });
    await world.put('trigger', { id: 't-figures', match: { type: 'test.figures.ready' }, agent: 'm-figures' });
    expect((await world.owner.call('getProvoke', { params })).warnings.join(' ')).not.toContain('#digest');
    await world.emit({ type: 'test.figures.ready' });
    await world.settled();
    expect([(await world.bodies(own)).length, await world.bodies(theirs)]).toEqual([1, []]);
  });

  test('[SYS-11] what is written around a name, or written again, changes nothing of whom it means', async () => {
    const [ann, mal] = [await world.kit.person('keeper'), await world.kit.person('mal')];
    const channel = async (name: string, by: Person) => (await by.call('createChannel', { body: { name } })).id;
    const helper = await world.kit.agent('MATE', ann);
    const file = join(world.kit.ground.dataDir, 'triggers', 'kept.yaml');
    const scan = () => world.kit.hub.kernel.provokeFiles.scan();
    const filed = (head: string, to: string) =>
      writeFile(file, `${head}pap_version: "0.2"\nagent: { id: filed, risk_level: low, deliver_to: { ${to} } }\n`).then(scan);
    const put = (over: object) => world.put('manifest', { id: 'put', risk_level: 'low', handle: 'MATE', ...over }, ann);
    const about = (id: string) => world.owner.call('getProvoke', { params: { kind: 'manifest', id } });
    const meant = async () => {
      const warnings = [...(await about('put')).warnings, ...(await about('filed')).warnings].join(' ');
      return ['#kept', '#later', 'MATE'].map((name) => warnings.includes(`${name} is another`) || warnings.includes(`${name} meant no`));
    };
    const kept = await channel('kept', ann);
    await put({ deliver_to: { conversation: '#kept' } });
    await filed('', 'conversation: "#later"');
    await ann.call('editConversation', { params: { conversationId: kept }, body: { name: 'kept-before' } });
    await world.owner.call('editMember', { params: { memberId: helper.id }, body: { handle: 'MATED' } });
    await world.kit.agent('MATE', mal);
    const theirs = [await channel('kept', mal), await channel('later', mal)];
    for (const conversationId of theirs)
      for (const { id: memberId } of [ann, world.owner])
        await mal.call('addToConversation', { params: { conversationId }, body: { memberId } });
    expect(await meant()).toEqual([true, true, true]);
    await put({ deliver_to: { conversation: '#kept' }, description: 'changed' });
    await utimes(file, new Date(), new Date());
    await scan();
    expect(await meant()).toEqual([true, true, true]);
    await filed('# A comment.\n', 'conversation: "#later"');
    expect(await meant()).toEqual([true, true, true]);
    await filed('', 'agent: MATED');
    await filed('', 'conversation: "#later"');
    expect(await meant()).toEqual([true, true, true]);
    // Only an ID means another one: each warning names it.
    expect((await about('put')).warnings.join(' ')).toContain(`still means ${kept}. Write its ID, ${theirs[0]}, if you mean that one.`);
    await put({ deliver_to: { conversation: theirs[0] }, handle: helper.id });
    await filed('', `conversation: ${theirs[1]}`);
    expect([(await about('put')).warnings, (await about('filed')).warnings]).toEqual([[], []]);
  });
});
