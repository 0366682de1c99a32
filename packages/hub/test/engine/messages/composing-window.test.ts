// Somebody who types in pieces is waited for (C2A-4): exactly as long as core says, and what they said is one turn.

import { Ear, makeOnce, onBothEngines } from '@parley/testkit';
import { expect, test } from 'vitest';
import { Wire } from '../../kit/agent-wire.ts';
import { quiet, short, waitingOn } from '../../kit/composing-windows.ts';

onBothEngines('whoever asks may still be writing', (engine) => {
  const floor = makeOnce(
    () => waitingOn(engine, { onGroup: ({ committed }) => (committed ? writes++ : 0) }),
    (made) => made.kit.stop(),
  );
  let writes = 0;
  let rooms = 0;
  const scene = async () => {
    const n = ++rooms;
    const agents = [await floor.agent(`A${n}`), await floor.agent(`B${n}`)] as const;
    const here = await floor.channel(`room-${n}`, floor.bob, ...agents);
    return { a: agents[0], b: agents[1], here };
  };

  test.each([
    ['unfinished', 'check', quiet],
    ['unfinished', 'check the deploy and', quiet],
    ['unfinished', 'I was wondering...', quiet],
    ['finished', 'check the deploy', short],
    ['finished', 'why?', short],
    ['finished', `run this:\n\`\`\`\nls\n\`\`\``, short],
  ])('[C2A-4] %s: the turn after %j begins after %i ms, to the millisecond', async (_, words, wait) => {
    const { a, here } = await scene();
    await floor.ann.post(here, `^${a.handle} ${words}`);
    await floor.pass();
    expect(await floor.states(here)).toEqual([`queued for ${wait}`]);
    expect(await floor.rows()).toEqual({ windows: 1, timers: 1 });
    await floor.pass(wait - 1);
    expect(await floor.states(here)).toEqual(['queued for 1']);
    const [task] = await floor.tasks(here);
    expect((await a.ask('startTask', { params: { taskId: task!.id } })).body.error?.code).toBe('composing');
    await floor.pass(1);
    expect(await floor.states(here)).toEqual(['active']);
    expect(await floor.rows()).toEqual({ windows: 0, timers: 0 });
    const facts = await floor.kit.hub.kernel.store.rows('facts', 'where subject_id = ? order by seq', [task!.id]);
    expect(facts.map(({ type, member_id, chain_id }) => [type, member_id, chain_id])).toEqual(
      ['task.opened', 'task.ready', 'task.begin'].map((type) => [type, a.id, task!.chainId]),
    );
  });

  test('[C2A-4] [PAP-4] a request of anyone in pieces is offered with every piece', async () => {
    const { a, here } = await scene();
    const line = await Wire.hello(a);
    await floor.ann.post(here, '^ANY look at');
    await floor.pass(1);
    await floor.ann.post(here, 'the checkout page,');
    await floor.pass(1);
    await floor.ann.post(here, 'it is slow');
    await floor.pass(quiet);
    const { event } = await line.event('offer');
    expect(event.content).toBe('^ANY look at');
    expect(event.words.map(({ kind, content }) => [kind, content])).toEqual([
      ['request', '^ANY look at'],
      ['request', 'the checkout page,'],
      ['request', 'it is slow'],
    ]);
    const pulled = await line.call('pull', { taskId: event.task.id });
    expect(JSON.stringify(pulled)).toContain('it is slow');
    await line.close();
  });

  test('[C2A-4] [C2A-28] pieces are one turn, with every word in order, and each is a message of its own', async () => {
    const { a, here } = await scene();
    const pieces = [`^${a.handle} when someone types,`, 'in', 'pieces', `^${a.handle} like this`, 'the agent:'];
    for (const piece of pieces) {
      await floor.ann.post(here, piece);
      await floor.pass(quiet - 1);
    }
    expect(await floor.states(here)).toEqual(['queued for 1']);
    await floor.pass(1);
    expect(await floor.states(here)).toEqual(['active']);
    expect(await floor.words(here)).toEqual([pieces]);
    expect((await floor.bodies(here)).map(([, body]) => body)).toEqual(pieces);
    // What comes after its first word is not a piece any more.
    await floor.say(a, (await floor.tasks(here))[0]!, 'progress', 'I wait.');
    await floor.ann.post(here, 'and lunch?');
    expect(await floor.words(here)).toEqual([[...pieces, 'I wait.']]);
    const why = await floor.ann.call('previewMessage', { params: { conversationId: here }, body: { body: 'and now?' } });
    expect(why.agents.map(({ reason }) => reason)).not.toContain('fragment');
  });

  test('[C2A-4] the author says that the message is complete: with it, or after it; nobody else can', async () => {
    const { a, here } = await scene();
    const done = (who = floor.ann) => who.call('finishComposing', { params: { conversationId: here } });
    await floor.ann.post(here, `^${a.handle} check`);
    await done(floor.bob);
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`]);
    await done();
    await floor.pass(1);
    expect([await floor.states(here), await floor.rows()]).toEqual([['active'], { windows: 0, timers: 0 }]);
    await floor.say(a, (await floor.tasks(here))[0]!, 'answer', 'Fine.');
    await floor.ann.call('postMessage', { params: { conversationId: here }, body: { body: `^${a.handle} again`, done: true } });
    await floor.pass();
    expect(await floor.states(here)).toEqual(['completed', 'active']);
    expect((await floor.ann.ask('finishComposing', { params: { conversationId: here } })).status).toBe(200);
  });

  test('[C2A-4] half a minute at most, whatever comes', async () => {
    const { a, here } = await scene();
    await floor.ann.post(here, `^${a.handle} 0`);
    for (let s = 2; s < 30; s += 2) {
      await floor.pass(2000);
      await floor.ann.post(here, `and ${s}`);
    }
    expect(await floor.states(here)).toEqual(['queued for 2000']);
    await floor.pass(1999);
    await floor.types(here);
    expect(await floor.states(here)).toEqual(['queued for 1']);
    await floor.pass(1);
    expect(await floor.states(here)).toEqual(['active']);
    expect((await floor.words(here))[0]).toHaveLength(15);
  });

  test('[C2A-4] signs of typing keep it open, by either door; a piece ends them; where nothing is asked nothing is written', async () => {
    const { a, here } = await scene();
    const before = writes;
    await floor.types(here);
    expect(writes).toBe(before);
    await floor.ann.post(here, `^${a.handle} check`);
    await floor.pass(2000);
    await floor.types(here);
    expect(await floor.states(here)).toEqual(['queued for 5000']);
    await floor.types(here, floor.bob);
    await floor.types((await floor.ann.call('openDm', { body: { memberIds: [a.id] } })).id);
    await floor.pass(3000);
    expect(await floor.states(here)).toEqual(['queued for 2000']);
    const ear = new Ear(floor.ann);
    await ear.ready();
    ear.socket.send(JSON.stringify({ type: 'typing', conversationId: here }));
    await expect.poll(() => floor.states(here)).toEqual(['queued for 5000']);
    ear.close();
    // The rest of it is said: typing is over, and the quiet begins.
    await floor.ann.post(here, 'the deploy');
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`]);
    await floor.types(here);
    await floor.pass(4999);
    expect(await floor.states(here)).toEqual(['queued for 1']);
    await floor.pass(1);
    expect(await floor.states(here)).toEqual(['active']);
  });

  test('[C2A-4] another’s words, words to others and filler are no pieces', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, `^${a.handle} check`);
    await floor.pass(1000);
    await floor.bob.post(here, 'me too');
    await floor.ann.post(here, '@bob do you know more?');
    await floor.ann.post(here, 'thanks');
    await floor.ann.post(here, `^${b.handle} and you`);
    expect(await floor.states(here)).toEqual(['queued for 1500', `queued for ${quiet}`]);
    expect(await floor.words(here)).toEqual([[`^${a.handle} check`], [`^${b.handle} and you`]]);
    expect(await floor.bodies(here)).toHaveLength(5);
    // Who is being written to is not told apart by the hub: what names nobody is a piece of both.
    await floor.ann.post(here, 'the deploy');
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['active', 'active']);
    expect((await floor.words(here)).map((words) => words.at(-1))).toEqual(['the deploy', 'the deploy']);
  });

  test('[C2A-4] [PAP-3] ^ALL waits for each, and a piece is everyone’s', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, '^ALL stand up');
    await floor.pass(1000);
    await floor.ann.post(here, 'and say what you do');
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`, `queued for ${quiet}`]);
    await floor.pass(quiet);
    expect((await floor.tasks(here)).map(({ agentId, state }) => [agentId, state])).toEqual([
      [a.id, 'active'],
      [b.id, 'active'],
    ]);
    expect(await floor.words(here)).toEqual([
      ['^ALL stand up', 'and say what you do'],
      ['^ALL stand up', 'and say what you do'],
    ]);
  });

  test('[C2A-4] [PAP-4] a task for any agent is offered when its request is complete', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, '^ANY check');
    await floor.ann.post(here, 'the deploy');
    await floor.ann.post(here, '@bob not you');
    const [task] = await floor.tasks(here);
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`]);
    const claim = async (agent: typeof a) => (await agent.ask('startTask', { params: { taskId: task!.id } })).body.error?.code;
    expect(await claim(a)).toBe('composing');
    // Coming and going changes nothing yet.
    await floor.disconnect(a);
    await floor.connect(a);
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`]);
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['offered']);
    expect([await claim(b), await claim(a)]).toEqual([undefined, 'already_claimed']);
    expect(await floor.words(here)).toEqual([['^ANY check', 'the deploy']]);
  });

  test('[C2A-4] [PAP-4] with no agent left to take the task, its author gets one notice', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, '^ANY check');
    for (const agent of [a, b]) await floor.disconnect(agent);
    const told = async () => (await floor.notices(floor.ann)).filter((one) => one.conversationId === here).map(({ kind }) => kind);
    expect(await told()).toEqual([]);
    await floor.pass(quiet);
    expect([await floor.states(here), await told()]).toEqual([['queued'], ['nobody_available']]);
    await floor.connect(b);
    expect(await floor.states(here)).toEqual(['offered']);
  });

  test('[C2A-4] [PAP-9] a DM, and a thread, wait as well', async () => {
    const { a, here } = await scene();
    const dm = (await floor.ann.call('openDm', { body: { memberIds: [a.id] } })).id;
    const root = await floor.ann.post(here, 'a topic');
    const thread = (await floor.ann.call('openThread', { params: { messageId: root.id } })).id;
    for (const [place, first] of [
      [dm, 'check'],
      [thread, `^${a.handle} check`],
    ] as const) {
      await floor.ann.post(place, first);
      await floor.pass(quiet - 1);
      await floor.ann.post(place, 'the deploy');
      expect(await floor.states(place)).toEqual([`queued for ${quiet}`]);
      await floor.pass(quiet);
      expect([await floor.states(place), await floor.words(place)]).toEqual([['active'], [[first, 'the deploy']]]);
    }
  });

  test('[C2A-4] [PAP-7] an answer may come in pieces, also where it is given elsewhere', async () => {
    const { a, here } = await scene();
    const dm = (await floor.ann.call('openDm', { body: { memberIds: [a.id] } })).id;
    await floor.ann.post(here, `^${a.handle} check`);
    await floor.pass(quiet);
    const [task] = await floor.tasks(here);
    await floor.say(a, task!, 'question', 'Which one?', {});
    await floor.ann.post(here, 'ok');
    expect(await floor.states(here)).toEqual([`queued for ${quiet}`]);
    await floor.ann.post(here, 'the newest');
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['active']);
    const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [task!.id]);
    const asking = {
      params: { conversationId: dm },
      body: { body: 'Sure?', task: { id: task!.id, lease: row!.lease, kind: 'question' as const } },
    };
    await a.call('postMessage', asking);
    await floor.ann.post(dm, 'quite');
    await floor.types(dm);
    expect(await floor.states(here)).toEqual(['queued for 5000']);
    await floor.ann.post(dm, 'sure');
    await floor.pass(quiet);
    expect(await floor.states(here)).toEqual(['active']);
    expect((await floor.tasks(here))[0]).toMatchObject({ askedIn: null });
    expect(await floor.words(here)).toEqual([[`^${a.handle} check`, 'Which one?', 'ok', 'the newest', 'Sure?', 'quite', 'sure']]);
    expect(await floor.tasks(dm)).toEqual([]);
  });

  test('[C2A-4] agents’ words go at once', async () => {
    const { a, b, here } = await scene();
    await floor.ann.post(here, `^${a.handle} check`);
    await floor.pass(quiet);
    await floor.say(a, (await floor.tasks(here))[0]!, 'progress', `^${b.handle} please look`);
    await floor.pass();
    expect(await floor.states(here)).toEqual(['active', 'active']);
  });

  test('[C2A-4] a channel sets its own quiet; who may not edit it may not, and 0 is none at all', async () => {
    const { a, here } = await scene();
    const set = (composeMs: number | null, who = floor.ann) =>
      who.ask('editConversation', { params: { conversationId: here }, body: { composeMs } });
    const shown = async () => (await floor.ann.call('getConversation', { params: { conversationId: here } })).composeMs;
    expect([(await set(100, floor.bob)).status, (await set(5001)).status, (await set(-1)).status, await shown()]).toEqual([
      403,
      400,
      400,
      null,
    ]);
    expect([(await set(4000)).status, await shown()]).toEqual([200, 4000]);
    await floor.ann.post(here, `^${a.handle} check`);
    expect(await floor.states(here)).toEqual(['queued for 4000']);
    const listed = (await floor.ann.call('listConversations', { query: {} })).conversations.find(({ id }) => id === here);
    expect(listed?.composeMs).toBe(4000);
    // Set in the middle of it: the next piece goes by it.
    await set(300);
    await floor.ann.post(here, 'the deploy');
    expect(await floor.states(here)).toEqual(['queued for 300']);
    await floor.pass(300);
    expect([(await set(0)).status, await shown()]).toEqual([200, 0]);
    await floor.ann.post(here, `^${a.handle} and this`);
    expect(await floor.rows()).toEqual({ windows: 0, timers: 0 });
    expect([(await set(null)).status, await shown()]).toEqual([200, null]);
  });
});
