// A model that wakes others with `send_channel_message`: its last text does not end what they are at, and it hears what came of it.

import { onBothEngines, until } from '@parley/testkit';
import { beforeAll, expect, test } from 'vitest';
import { worldFor } from '../../kit/models.ts';

onBothEngines('agents woken in a channel by a model', (engine) => {
  let n = 0;
  const world = worldFor(engine);
  beforeAll(async () => {
    world.tools.for = (turn) => world.kit.hub.kernel.toolsFor(turn);
  });

  /** Two of their own, in a channel of their own. */
  async function pair() {
    const [lead, helper] = [`L${++n}`, `H${n}`];
    const { id: room } = await world.owner.call('createChannel', { body: { name: `room-${n}` } });
    const ids = [await world.agent(lead), await world.agent(helper)];
    for (const memberId of ids) await world.owner.call('addToConversation', { params: { conversationId: room }, body: { memberId } });
    const wakes = { calls: [{ name: 'send_channel_message', input: { channelId: room, content: `^${helper} what are you at?` } }] };
    const of = async (at: 0 | 1) => (await world.tasks()).findLast(({ agentId }) => agentId === ids[at])!;
    const asked = (handle: string) => world.models.asked.filter(({ model }) => model === handle);
    return { lead, helper, room, wakes, of, asked };
  }
  const gate = () => Promise.withResolvers<void>();

  test('[IAC-16] [IAC-6] a last text while they are at it is on the way: the task waits, and goes on with what they said', async () => {
    const { lead, helper, room, wakes, of, asked } = await pair();
    const ready = gate();
    world.models.script(helper, () => ready.promise.then(() => ({ text: 'The draft.' })));
    world.models.script(lead, [wakes, { text: 'I have asked.' }, { text: 'It is the draft.' }]);
    await world.owner.post(room, `^${lead} start`);
    await until(async () => (await of(0))?.state === 'awaiting_delegation');
    expect((await of(1)).state).toBe('active');
    ready.resolve();
    await world.settled();
    expect([await of(0), await of(1)]).toMatchObject([
      { state: 'completed', cause: 'answered' },
      { state: 'completed', cause: 'answered' },
    ]);
    expect((await world.bodies(room)).slice(1)).toEqual([`^${helper} what are you at?`, 'I have asked.', 'The draft.', 'It is the draft.']);
    expect(asked(lead).at(-1)!.told[0]!.text).toContain('The draft.');
  });

  test('[IAC-16] what came while it was still writing is put to it in another turn, once', async () => {
    const { lead, helper, room, wakes, of, asked } = await pair();
    world.models.script(helper, [{ text: 'The draft.' }]);
    const heard = gate();
    const lines = [wakes, { text: 'I have asked.' }, { text: 'It is the draft.' }];
    let at = 0;
    world.models.script(lead, async () => {
      if (at === 1) await heard.promise;
      return lines[at++]!;
    });
    await world.owner.post(room, `^${lead} start`);
    await until(async () => (await of(1))?.state === 'completed');
    heard.resolve();
    await world.settled();
    expect([(await of(0)).state, asked(lead).length]).toEqual(['completed', 3]);
    expect((await world.bodies(room)).at(-1)).toBe('It is the draft.');
    expect(asked(lead).at(-1)!.told[0]!.text).toContain('The draft.');
  });

  test('[IAC-16] one that declines, or asks and is not answered, holds nobody up for ever', async () => {
    const { lead, helper, room, wakes, of } = await pair();
    world.models.script(helper, [{ calls: [{ name: 'decline', input: { reason: 'No time.' } }] }]);
    world.models.script(lead, [wakes, { text: 'I have asked.' }, { text: 'It has no time.' }]);
    await world.owner.post(room, `^${lead} start`);
    await world.settled();
    expect([(await of(0)).state, (await of(1)).state, (await world.bodies(room)).at(-1)]).toEqual([
      'completed',
      'declined',
      'It has no time.',
    ]);

    const other = await pair();
    world.models.script(other.helper, [{ calls: [{ name: 'ask_requester', input: { question: 'Which one?' } }] }]);
    world.models.script(other.lead, [other.wakes, { text: 'I have asked.' }, { text: 'It asks which one.' }, { text: 'I cannot say.' }]);
    await world.owner.post(other.room, `^${other.lead} start`);
    await world.settled();
    expect([(await other.of(0)).state, (await other.of(1)).state]).toEqual(['completed', 'timed_out']);
    expect((await world.bodies(other.room)).at(-1)).toBe('I cannot say.');
  });

  test('[PAP-15] stopping the task still ends those it has woken', async () => {
    const { lead, helper, room, wakes, of } = await pair();
    world.models.script(helper, [{ fault: 'hang' }]);
    world.models.script(lead, [wakes, { text: 'I have asked.' }]);
    await world.owner.post(room, `^${lead} start`);
    await until(async () => (await of(0))?.state === 'awaiting_delegation');
    await world.owner.call('stopTask', { params: { taskId: (await of(0)).id } });
    await world.settled();
    expect([(await of(0)).state, (await of(1)).state]).toEqual(['cancelled', 'cancelled']);
  });
});
