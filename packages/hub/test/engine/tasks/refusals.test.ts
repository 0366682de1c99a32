// An agent's words come in one way. Everything else is refused with its own reason, shown to nobody, and recorded.

import { onBothEngines, type Person } from '@parley/testkit';
import { expect, test } from 'vitest';
import { agentsFor, floorFor } from '../../kit/floor.ts';

onBothEngines('refusals', (engine) => {
  let n = 0;
  const { floor, ann } = floorFor(engine);
  const [orac, stef] = agentsFor(floor, 'ORAC', 'STEF');
  const room = () => floor.channel(`floor-${n++}`, floor.bob, orac, stef);
  const refused = async (agent: Person) =>
    (await floor.kit.hub.kernel.store.rows('facts', "where type = 'post.refused' and member_id = ? order by seq", [agent.id])).map(
      (fact) => (JSON.parse(fact.data) as { reason: string }).reason,
    );
  const post = (agent: Person, conversationId: string, body: object) =>
    agent.ask('postMessage', { params: { conversationId }, body: body as never });

  test('[PAP-1] every way but the right one is refused with its own reason, not shown, and a fact', async () => {
    const [here, there] = [await room(), await room()];
    await ann.post(here, '^ORAC go');
    await floor.pass();
    const [task] = await floor.tasks(here);
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
    const right = { id: task!.id, lease: row!.lease, kind: 'progress' };
    const before = (await refused(orac)).length;
    const tried = [
      await post(orac, here, { body: 'unasked' }),
      await post(orac, here, { body: 'made up', task: { ...right, id: `tsk_${'0'.repeat(26)}` } }),
      await post(orac, there, { body: 'elsewhere', task: right }),
      await post(orac, here, { body: 'old', task: { ...right, lease: row!.lease - 1 } }),
      await post(orac, here, { body: 'future', task: { ...right, lease: row!.lease + 1 } }),
    ];
    expect(tried.map(({ status, body }) => [status, body.error?.code])).toEqual([
      [403, 'agent_without_task'],
      [403, 'agent_without_task'],
      [403, 'task_elsewhere'],
      [409, 'stale_lease'],
      [409, 'stale_lease'],
    ]);
    expect((await post(stef, here, { body: 'as another', task: right })).body.error?.code).toBe('task_of_another');
    expect((await refused(orac)).slice(before)).toEqual([
      'agent_without_task',
      'agent_without_task',
      'task_elsewhere',
      'stale_lease',
      'stale_lease',
    ]);
    expect((await refused(stef)).at(-1)).toBe('task_of_another');
    expect(await floor.bodies(here)).toEqual([['ann', '^ORAC go']]);
    expect(await floor.bodies(there)).toEqual([]);
    // And the right one is taken.
    expect((await post(orac, here, { body: 'on it', task: right })).status).toBe(200);
    await floor.kit.restart();
    expect(await refused(orac)).toHaveLength(before + 5);
    for (const agent of [orac, stef]) await floor.connect(agent);
  });

  test('[PAP-1] a task grants where it was opened, its thread, the pair’s DM and what its requester named', async () => {
    const [here, output, other] = [await room(), await room(), await room()];
    const asked = await ann.call('postMessage', { params: { conversationId: here }, body: { body: '^ORAC go', outputs: [output] } });
    await floor.pass();
    const [task] = await floor.tasks(here);
    const thread = await ann.call('openThread', { params: { messageId: asked.id } });
    const another = await ann.call('openThread', { params: { messageId: (await ann.post(here, 'elsewhere')).id } });
    const dm = await ann.call('openDm', { body: { memberIds: [orac.id] } });
    const bobs = await floor.bob.call('openDm', { body: { memberIds: [orac.id] } });
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
    const right = { id: task!.id, lease: row!.lease, kind: 'progress' };
    const codes: (string | undefined)[] = [];
    for (const where of [here, thread.id, dm.id, output, another.id, bobs.id, other])
      codes.push((await post(orac, where, { body: 'word', task: right })).body.error?.code);
    expect(codes).toEqual([undefined, undefined, undefined, undefined, 'task_elsewhere', 'task_elsewhere', 'task_elsewhere']);
  });

  test('[PAP-1] a person can name as outputs only where they may post themselves', async () => {
    const here = await room();
    const secret = await floor.bob.call('createChannel', { body: { name: `bobs-${engine}`, visibility: 'private' } });
    const asked = await ann.ask('postMessage', { params: { conversationId: here }, body: { body: '^ORAC go', outputs: [secret.id] } });
    expect(asked.status).toBe(404);
    expect(await floor.bodies(here)).toEqual([]);
  });

  test('[PAP-16] a person’s token cannot speak for a task, nor an agent’s for a person', async () => {
    const here = await room();
    await ann.post(here, '^ORAC go');
    await floor.pass();
    const [task] = await floor.tasks(here);
    expect(
      (
        await ann.ask('postMessage', {
          params: { conversationId: here },
          body: { body: 'I am ORAC', task: { id: task!.id, lease: 1, kind: 'answer' } },
        })
      ).body.error?.problems?.[0]?.field,
    ).toBe('task');
    expect((await ann.ask('startTask', { params: { taskId: task!.id } })).status).toBe(403);
    expect((await ann.ask('declineTask', { params: { taskId: task!.id }, body: { reason: 'no' } })).status).toBe(403);
    const message = await ann.post(here, 'mine');
    for (const answer of [
      await orac.ask('editMessage', { params: { messageId: message.id }, body: { body: 'changed' } }),
      await orac.ask('deleteMessage', { params: { messageId: message.id } }),
      await orac.ask('createChannel', { body: { name: 'mine' } }),
      await orac.ask('stopTask', { params: { taskId: task!.id } }),
      await orac.ask('halt', {}),
      await orac.ask('editAgent', { params: { memberId: orac.id }, body: { maxConcurrent: 9 } }),
    ])
      expect(answer.status).toBe(403);
  });

  test('[PAP-1] nothing is edited into a channel afterwards: an agent cannot change its own words', async () => {
    const here = await room();
    await ann.post(here, '^ORAC go');
    await floor.pass();
    const [task] = await floor.tasks(here);
    const said = (await floor.say(orac, task!, 'answer', 'done')).body as { id: string };
    expect((await orac.ask('editMessage', { params: { messageId: said.id }, body: { body: 'and another thing' } })).status).toBe(403);
  });

  test('[SYS-4] a send repeated under its key is answered and shown once, also under a new lease and after the end', async () => {
    const here = await room();
    await ann.post(here, '^ORAC go');
    await floor.pass();
    const [task] = await floor.tasks(here);
    const send = async () => {
      const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
      return orac.ask(
        'postMessage',
        { params: { conversationId: here }, body: { body: 'done', task: { id: task!.id, lease: row!.lease, kind: 'answer' } } },
        { 'idempotency-key': `${engine}-final` },
      );
    };
    const first = await send();
    await floor.disconnect(orac);
    await floor.connect(orac);
    const again = await send();
    expect([first.status, again.status, again.body.id]).toEqual([200, 200, first.body.id]);
    expect((await floor.bodies(here)).filter(([who]) => who === 'ORAC')).toHaveLength(1);
  });

  test('[PAP-18] an unknown handle gets the author a notice with the nearest one, and makes no task', async () => {
    const here = await room();
    const said = await ann.post(here, 'hey ^ORCA, look');
    expect((await floor.notices(ann)).at(-1)).toMatchObject({
      kind: 'unknown_handle',
      messageId: said.id,
      nearest: 'ORAC',
      start: 4,
      end: 9,
    });
    const outside = await floor.agent(`OUT${engine}`);
    await ann.post(here, `^OUT${engine} hello`);
    expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'not_here', memberId: outside.id });
    await ann.post(here, '^bob hello');
    expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'unknown_handle' });
    expect(await floor.tasks(here)).toEqual([]);
    expect((await floor.notices(floor.bob)).filter(({ conversationId }) => conversationId === here)).toEqual([]);
  });

  test.each<[text: string, expected: object]>([
    ['^OR\u200BAC status?', { reason: 'look_alike', nearest: 'ORAC' }],
    ['^ORAC\uFE0F status?', { reason: 'look_alike', nearest: 'ORAC' }],
    ['^\u041ER\u0410\u0421 status?', { reason: 'look_alike', nearest: 'ORAC' }],
    ['\uFF3EORAC status?', { reason: 'look_alike', nearest: 'ORAC' }],
    ['^J\u00FCrgen status?', { reason: 'look_alike', nearest: null }],
    ['    ^ORAC status?', { reason: 'indented', nearest: null }],
    ['he said "^ORAC is down"', { reason: 'quoted', nearest: null }],
  ])('[PAP-18] %j calls nobody, and its author gets a notice', async (text, expected) => {
    const here = await room();
    const said = await ann.post(here, text);
    expect((await floor.notices(ann)).filter(({ messageId }) => messageId === said.id)).toMatchObject([
      { kind: 'unknown_handle', ...expected },
    ]);
    expect(await floor.tasks(here)).toEqual([]);
  });

  test.each(['"^NOBODY$" matches', '    ^NOBODY', '\uFF3E\u03C9\uFF3E', 'f!@bob', '@http://example.org'])(
    '[PAP-18] %j calls nobody, and needs no notice',
    async (text) => {
      const here = await room();
      const said = await ann.post(here, text);
      expect((await floor.notices(ann)).filter(({ messageId }) => messageId === said.id)).toEqual([]);
      expect(await floor.tasks(here)).toEqual([]);
    },
  );

  test('[PAP-18] an agent from outside that is brought in gets the message that called it', async () => {
    const here = await room();
    const outside = await floor.agent(`IN${engine}`);
    const said = await ann.post(here, `^IN${engine} how is the deploy?`);
    expect((await floor.notices(ann)).at(-1)).toMatchObject({ kind: 'not_here', memberId: outside.id, messageId: said.id });
    const bringIn = () =>
      ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: outside.id, messageId: said.id } });
    await bringIn();
    const [task, ...more] = await floor.tasks(here);
    expect([task, more]).toMatchObject([{ agentId: outside.id, messageId: said.id, requesterId: ann.id }, []]);
    // Once, also when it has been answered meanwhile and somebody taps on another device.
    await bringIn();
    await floor.pass();
    expect(await floor.say(outside, task!, 'answer', 'It is out.')).toMatchObject({ status: 200 });
    await floor.kit.restart();
    await bringIn();
    expect(await floor.tasks(here)).toMatchObject([{ id: task!.id, state: 'completed' }]);
    for (const agent of [orac, stef]) await floor.connect(agent);
  });

  test('[PAP-18] [C2A-12] nobody is brought in for a message that is gone or not in this conversation, and no person for any', async () => {
    const here = await room();
    const elsewhere = await ann.post(await floor.channel(`elsewhere-${engine}`), 'hello');
    const outside = await floor.agent(`GONE${engine}`);
    const said = await ann.post(here, `^GONE${engine} how is the deploy?`);
    const bringIn = async (messageId: string, memberId = outside.id) =>
      (await ann.ask('addToConversation', { params: { conversationId: here }, body: { memberId, messageId } })).body;
    for (const id of [elsewhere.id, `${said.id.slice(0, -4)}0000`])
      expect(await bringIn(id)).toMatchObject({ error: { code: 'not_found' } });
    await ann.call('deleteMessage', { params: { messageId: said.id } });
    expect(await bringIn(said.id)).toMatchObject({ error: { code: 'already_deleted' } });
    // Only agents are given work.
    const carl = await floor.kit.person(`carl-${engine}`);
    expect(await bringIn((await ann.post(here, `@carl-${engine} look`)).id, carl.id)).toMatchObject({ error: { code: 'invalid_request' } });
    const { memberships } = await ann.call('listMemberships', { params: { conversationId: here } });
    expect(memberships.filter(({ memberId }) => [outside.id, carl.id].includes(memberId))).toEqual([]);
    expect(await floor.tasks(here)).toEqual([]);
  });

  test('[C2A-8] [PAP-18] an agent is not brought in for the words of a member who is blocked for it', async () => {
    const here = await room();
    const outside = await floor.agent(`SHY${engine}`, { owner: floor.bob });
    await floor.bob.call('blockMember', { params: { memberId: outside.id, blockedId: ann.id } });
    const said = await ann.post(here, `^SHY${engine} how is the deploy?`);
    const body = { memberId: outside.id, messageId: said.id };
    expect((await ann.ask('addToConversation', { params: { conversationId: here }, body })).body).toMatchObject({
      error: { code: 'forbidden', reason: 'agent:not_taken' },
    });
    const { memberships } = await ann.call('listMemberships', { params: { conversationId: here } });
    expect(memberships.some(({ memberId }) => memberId === outside.id)).toBe(false);
    expect(await floor.tasks(here)).toEqual([]);
  });

  test('[C2A-12] [SYS-9] where members read only from when they joined, a message from before is not given to one that is brought in', async () => {
    const { id: here } = await ann.call('createChannel', { body: { name: `later-${engine}`, history: 'joined' } });
    const outside = await floor.agent(`LATE${engine}`);
    const said = await ann.post(here, `^LATE${engine} how is the deploy?`);
    const body = { memberId: outside.id, messageId: said.id };
    expect((await ann.ask('addToConversation', { params: { conversationId: here }, body })).body).toMatchObject({
      error: { code: 'invalid_request', problems: [{ field: 'memberId' }] },
    });
    expect(await floor.tasks(here)).toEqual([]);
  });

  test('[PAP-18] brackets and a colon before a handle define no link', async () => {
    const here = await room();
    await ann.post(here, '[urgent]: ^ORAC the site is down');
    expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([orac.id]);
  });
});
