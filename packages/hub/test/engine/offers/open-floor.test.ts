// An open floor (C2A-15): what a person says to nobody by name goes round at most three agents, one at a time; a claim makes
// the task and comes before the post; and whoever asked something is told when nobody takes it.
// Long because all of it shares one hub per engine.

import { defaultBudgets } from '@parley/core';
import { RoundOffer } from '@parley/protocol';
import { onBothEngines, type Person } from '@parley/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { returnMs } from '../../../src/engine/reconnecting-agents.ts';
import { workLimits } from '../../../src/engine/limits.ts';
import { saidIn } from '../../../src/turns/words-in-task.ts';
import { FloorModel } from '../../kit/judges/floor.ts';
import { Wire } from '../../kit/agent-wire.ts';
import { type Floor, floorOn } from '../../kit/floor.ts';

const second = 1000;
const minute = 60 * second;
const question = 'does anybody know why the build is red?';
const turnsADay = 6;
const talk = 'I went to the harbour yesterday.';

onBothEngines('open floor', (engine) => {
  let floor: Floor;
  let ann: Person;
  let bob: Person;
  let a: Person;
  let b: Person;
  let n = 0;
  const all: string[] = [];
  beforeAll(async () => {
    const budgets = { ...defaultBudgets, agent_day: { ...defaultBudgets.agent_day, turns: turnsADay } };
    floor = await floorOn(engine, { limits: { ...workLimits, budgets, window: { ...workLimits.window, quietMs: 0 } } });
    ({ ann, bob } = floor);
  });
  afterAll(() => floor.kit.stop());
  const agent = async (handle: string, online = true) => {
    const made = await floor.agent(`${handle}${n}`, { online });
    all.push(made.id);
    return made;
  };
  beforeEach(async () => {
    n++;
    a = await agent('A');
    b = await agent('B');
  });

  const room = async (...members: Person[]) => {
    const here = await floor.channel(`open-${n}`, bob, ...members);
    await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
    return here;
  };
  const store = () => floor.kit.hub.kernel.store;
  const code = async (asked: Promise<{ status: number; body: { error?: { code: string } } }>) => {
    const { status, body } = await asked;
    return status === 200 ? 'ok' : body.error?.code;
  };
  const claim = (who: Person, messageId: string) => code(who.ask('claimMessage', { params: { messageId } }));
  const pass = (who: Person, messageId: string) => code(who.ask('passMessage', { params: { messageId } }));
  const offers = async (messageId: string) =>
    (await store().rows('offers', 'where message_id = ? order by n', [messageId])).map(({ agent_id, state }) => [agent_id, state]);
  const openNow = async (messageId: string) => (await offers(messageId)).filter(([, state]) => state === 'open').map(([id]) => id);
  const told = async (messageId: string) =>
    (await floor.notices(ann)).filter((notice) => notice.messageId === messageId).map(({ kind }) => kind);
  const outcomes = async (messageId: string) =>
    Object.fromEntries(
      (await ann.call('explainMessage', { params: { messageId }, query: {} })).agents.map((one) => [one.agentId, [one.asked, one.outcome]]),
    );
  const answer = async (who: Person, here: string, body = 'because of the moon') => {
    const task = (await floor.tasks(here)).findLast(({ agentId }) => agentId === who.id)!;
    return code(floor.say(who, task, 'answer', body));
  };
  const rest = async () => ({
    rounds: (await store().rows('rounds', 'where open = 1')).length,
    timers: (await store().rows('timers', "where kind in ('round.ready', 'round.lapse')")).length,
  });

  describe('in turn', () => {
    test('[C2A-15] [PAP-6] nobody has a task until one claims it; then one task, and its answer', async () => {
      const here = await room(a, b);
      const { id } = await ann.post(here, question);
      expect(await floor.tasks(here)).toEqual([]);
      expect(await offers(id)).toEqual([[a.id, 'open']]);
      expect(await claim(b, id)).toBe('not_offered');
      expect(await claim(a, id)).toBe('ok');
      expect(await claim(b, id)).toBe('already_claimed');
      expect(await pass(b, id)).toBe('already_claimed');
      const [task, ...more] = await floor.tasks(here);
      expect(more).toEqual([]);
      expect(task).toMatchObject({ agentId: a.id, requesterId: ann.id, messageId: id, addressedBy: 'ambient', state: 'active' });
      expect(await answer(a, here)).toBe('ok');
      expect(await floor.bodies(here)).toEqual([
        ['ann', question],
        [a.handle, 'because of the moon'],
      ]);
      expect(await told(id)).toEqual([]);
      expect(await outcomes(id)).toEqual({ [a.id]: [1, 'answered'], [b.id]: [null, 'not_needed'] });
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test.each(['works on my machine', 'interesting point', 'still red on my side', 'could be the cache'])(
      '[PAP-6] no notice says that nobody took %j',
      async (text) => {
        const here = await room(a);
        const { id } = await ann.post(here, text);
        expect(await pass(a, id)).toBe('ok');
        expect(await told(id)).toEqual([]);
      },
    );

    test('[C2A-15] [PAP-1] the claim comes before the post, and a refused one is recorded', async () => {
      const here = await room(a, b);
      const { id } = await ann.post(here, question);
      const post = { params: { conversationId: here }, body: { body: 'I know!' } };
      for (const who of [a, b]) expect(await code(who.ask('postMessage', post))).toBe('agent_without_task');
      expect(await claim(b, id)).toBe('not_offered');
      const facts = await store().rows('facts', "where type = 'claim.refused' and subject_id = ?", [id]);
      expect(facts.map((fact) => [fact.actor_id, fact.member_id, JSON.parse(fact.data)])).toEqual([
        [b.id, b.id, { reason: 'not_offered' }],
      ]);
      await claim(a, id);
    });

    test('[C2A-15] at most three agents are asked, never two at once, however many are there', async () => {
      const others = [await agent('C'), await agent('D'), await agent('E')];
      const here = await room(...others, a, b);
      const { id } = await ann.post(here, question);
      for (const who of [a, b]) {
        expect(await openNow(id)).toEqual([who.id]);
        expect(await pass(who, id)).toBe('ok');
        expect(await pass(who, id)).toBe('not_offered');
      }
      expect(await openNow(id)).toEqual([others[0]!.id]);
      expect(await told(id)).toEqual([]);
      await floor.pass(30 * second);
      expect(await offers(id)).toEqual([
        [a.id, 'declined'],
        [b.id, 'declined'],
        [others[0]!.id, 'expired'],
      ]);
      expect(await told(id)).toEqual(['nobody_took_it']);
      expect(await outcomes(id)).toEqual({
        [a.id]: [1, 'declined'],
        [b.id]: [2, 'declined'],
        [others[0]!.id]: [3, 'silent'],
        [others[1]!.id]: [null, 'not_asked'],
        [others[2]!.id]: [null, 'not_asked'],
      });
      for (const who of others) expect(await claim(who, id)).toBe('not_offered');
      await floor.pass(5 * minute);
      expect(await told(id)).toEqual(['nobody_took_it']);
      expect(await floor.tasks(here)).toEqual([]);
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test('[C2A-15] a turn lasts half a minute of running time', async () => {
      const here = await room(a, b);
      const { id } = await ann.post(here, question);
      await floor.pass(29 * second);
      expect(await openNow(id)).toEqual([a.id]);
      await floor.kit.owner.call('halt', {});
      await floor.pass(5 * minute);
      expect(await claim(a, id)).toBe('halted');
      expect(await openNow(id)).toEqual([a.id]);
      await floor.kit.owner.call('release', {});
      for (let step = 0; step < 5; step++) await floor.pass(second);
      expect(await openNow(id)).toEqual([b.id]);
      expect(await claim(a, id)).toBe('not_offered');
    });

    test('[C2A-15] agents that take part in the thread are asked first, then the least busy', async () => {
      const c = await agent('C');
      const here = await room(a, b, c);
      const asked = await ann.post(here, `^${c.handle} look into it`);
      const thread = await ann.call('openThread', { params: { messageId: asked.id } });
      await ann.post(here, `^${a.handle} and you do that`);
      await floor.pass();
      const { id } = await bob.post(thread.id, talk);
      expect(await openNow(id)).toEqual([c.id]);
      await pass(c, id);
      expect(await openNow(id)).toEqual([b.id]);
      await pass(b, id);
      expect(await openNow(id)).toEqual([a.id]);
    });

    test('[C2A-15] [PAP-4] of many that claim at once one has it', async () => {
      const c = await agent('C');
      const here = await room(a, b, c);
      for (let round = 0; round < 5; round++) {
        const { id } = await ann.post(here, `${question} ${round}`);
        const [who] = await openNow(id);
        const codes = await Promise.all([a, b, c, a, b, c].map((one) => claim(one, id)));
        expect(codes.filter((one) => one === 'ok').length).toBe(1);
        expect((await floor.tasks(here)).filter(({ messageId }) => messageId === id).map(({ agentId }) => agentId)).toEqual([who]);
        const one = [a, b, c].find((each) => each.id === who)!;
        expect(await answer(one, here, `answer ${round}`)).toBe('ok');
      }
    });
  });

  describe('messages without an offer round', () => {
    test.each([
      ['thanks', 'filler'],
      ['thanks!', 'filler'],
      ['[INFO] build 4711 passed in 3m12s', 'a status line'],
      ['@bob what do you think?', 'words to another'],
    ])('[C2A-14] [C2A-15] %s: %s', async (body) => {
      const here = await room(a, b);
      const { id } = await ann.post(here, body);
      expect(await offers(id)).toEqual([]);
      expect(await claim(a, id)).toBe('not_offered');
    });

    test('[C2A-15] on a polite floor nothing is offered, and nothing can be claimed', async () => {
      const here = await floor.channel(`open-${n}`, a, b);
      const { id } = await ann.post(here, question);
      expect([await offers(id), await claim(a, id), await pass(a, id)]).toEqual([[], 'not_offered', 'not_offered']);
      expect(await outcomes(id)).toEqual({ [a.id]: [null, 'forbidden'], [b.id]: [null, 'forbidden'] });
    });

    test('[C2A-15] [C2A-20] agents’ words go round to nobody', async () => {
      const here = await room(a, b);
      const { id } = await ann.post(here, question);
      await claim(a, id);
      const task = (await floor.tasks(here))[0]!;
      await floor.say(a, task, 'progress', 'what would somebody else say?');
      const said = (await ann.call('listMessages', { params: { conversationId: here }, query: {} })).messages.at(-1)!;
      expect(await offers(said.id)).toEqual([]);
      expect(await claim(b, said.id)).toBe('not_offered');
      expect((await outcomes(said.id))[b.id]).toEqual([null, 'not_asked']);
    });

    test('[C2A-15] a message to an agent by name, or one that goes on with a task, is no offer', async () => {
      const here = await room(a, b);
      const asked = await ann.post(here, `^${a.handle} look into it`);
      await floor.pass();
      const thread = await ann.call('openThread', { params: { messageId: asked.id } });
      const more = await ann.post(thread.id, 'and the other thing, too');
      for (const { id } of [asked, more]) expect(await offers(id)).toEqual([]);
      expect((await outcomes(more.id))[a.id]).toEqual([null, 'working']);
    });
  });

  describe('agents that are not asked', () => {
    test('[C2A-15] agents that are away, asleep, were asked to leave, or came later', async () => {
      const [away, late, last] = [await agent('C', false), await agent('D'), await agent('E')];
      const here = await room(a, b, away, last);
      await ann.call('askToLeave', { params: { conversationId: here }, body: { memberId: a.id } });
      await ann.call('editAgent', { params: { memberId: b.id }, body: { asleepUntil: floor.clock.now() + minute } });
      const { id } = await ann.post(here, question);
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: late.id } });
      expect(await offers(id)).toEqual([[last.id, 'open']]);
      await pass(last, id);
      // One that is away may come back: it is waited for, and not for long.
      expect(await told(id)).toEqual([]);
      await floor.pass(30 * second);
      expect(await told(id)).toEqual(['nobody_took_it']);
      expect(await offers(id)).toEqual([[last.id, 'declined']]);
    });

    test('[C2A-15] an agent that goes, falls asleep or leaves while it is asked loses its turn', async () => {
      const c = await agent('C');
      const here = await room(a, b, c);
      const { id } = await ann.post(here, question);
      await floor.disconnect(a);
      expect(await openNow(id)).toEqual([b.id]);
      await ann.call('editAgent', { params: { memberId: b.id }, body: { asleepUntil: floor.clock.now() + minute } });
      expect(await openNow(id)).toEqual([c.id]);
      await ann.call('removeFromConversation', { params: { conversationId: here, memberId: c.id } });
      expect(await openNow(id)).toEqual([]);
      expect(await claim(c, id)).toBe('not_found');
      // Back in time, it has its old place.
      await floor.connect(a);
      expect(await offers(id)).toEqual([
        [a.id, 'open'],
        [b.id, 'withdrawn'],
        [c.id, 'withdrawn'],
      ]);
      await claim(a, id);
      expect(await answer(a, here)).toBe('ok');
      expect(await outcomes(id)).toMatchObject({ [a.id]: [1, 'answered'], [b.id]: [2, 'failed'] });
    });
  });

  describe('after a claim', () => {
    test('[C2A-15] an agent that says nothing, declines or goes loses its turn: the next is asked, up to three', async () => {
      const c = await agent('C');
      const here = await room(a, b, c, await agent('D'));
      const { id } = await ann.post(here, question);
      await claim(a, id);
      await floor.pass(2 * minute);
      expect(await offers(id)).toEqual([
        [a.id, 'expired'],
        [b.id, 'open'],
      ]);
      expect(await answer(a, here)).toBe('task_over');
      await claim(b, id);
      const [, task] = await floor.tasks(here);
      await b.call('declineTask', { params: { taskId: task!.id }, body: { lease: 1, reason: 'not my field' } });
      expect(await openNow(id)).toEqual([c.id]);
      await claim(c, id);
      expect(await told(id)).toEqual([]);
      await floor.disconnect(c);
      expect((await floor.tasks(here)).map(({ agentId, state, cause }) => [agentId, state, cause])).toEqual([
        [a.id, 'timed_out', 'claim_expired'],
        [b.id, 'declined', 'declined'],
        [c.id, 'timed_out', 'disconnected'],
      ]);
      await floor.pass(2 * minute);
      expect(await told(id)).toEqual(['nobody_took_it']);
      expect(await outcomes(id)).toMatchObject({ [a.id]: [1, 'failed'], [b.id]: [2, 'declined'], [c.id]: [3, 'failed'] });
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test('[C2A-15] after its first word it is its own', async () => {
      const here = await room(a, b);
      const { id } = await ann.post(here, question);
      await claim(a, id);
      await floor.say(a, (await floor.tasks(here))[0]!, 'progress', 'let me see');
      await floor.pass(5 * minute);
      await floor.disconnect(a);
      expect(await offers(id)).toEqual([[a.id, 'taken']]);
      // Begun again as soon as its agent has a hand free, which may have been by now.
      expect((await floor.tasks(here))[0]).toMatchObject({ agentId: a.id, state: expect.stringMatching(/^(queued|active)$/) });
    });

    test('[C2A-15] [SYS-10] an agent that has no turns left claims nothing, and no task is made', async () => {
      const c = await agent('C', false);
      await ann.call('editAgent', { params: { memberId: c.id }, body: { brain: 'builtin' } });
      const here = await room(a, c);
      for (let turn = 0; turn < turnsADay; turn++) {
        await ann.post(here, `^${a.handle} ^${c.handle} who is here?`);
        await floor.pass();
        await answer(a, here, `number ${turn}`);
      }
      const { id } = await ann.post(here, 'who is here in this channel?');
      const before = (await floor.tasks(here)).length;
      const refused = await a.ask('claimMessage', { params: { messageId: id } });
      expect(refused.body.error).toMatchObject({ code: 'budget_exhausted', reason: 'agent_day' });
      expect(await offers(id)).toEqual([[a.id, 'open']]);
      await pass(a, id);
      await floor.pass();
      // The one inside the hub would have taken it: that it could not is no choice of its own.
      expect(await offers(id)).toEqual([
        [a.id, 'declined'],
        [c.id, 'withdrawn'],
      ]);
      expect(await outcomes(id)).toEqual({ [a.id]: [1, 'declined'], [c.id]: [2, 'failed'] });
      expect([await told(id), (await floor.tasks(here)).length]).toEqual([['nobody_took_it'], before]);
    });
  });

  describe('question or talk', () => {
    test('[C2A-15] [C2A-13] talk that nobody takes up ends quietly; a question does not', async () => {
      const here = await room(a);
      const [asked, said] = [await ann.post(here, question), await ann.post(here, talk)];
      expect(await offers(said.id)).toEqual([[a.id, 'open']]);
      await pass(a, asked.id);
      await pass(a, said.id);
      expect([await told(asked.id), await told(said.id)]).toEqual([['nobody_took_it'], []]);
      expect([await outcomes(asked.id), await outcomes(said.id)]).toEqual([{ [a.id]: [1, 'declined'] }, { [a.id]: [1, 'declined'] }]);
    });

    test('[C2A-15] [SYS-4] forty at once go on with the next when one goes, and end with their author, or with the floor', async () => {
      const here = await room(a, b);
      const ids: string[] = [];
      for (let i = 0; i < 40; i++) ids.push((await (i < 20 ? ann : bob).post(here, `${question} ${i}`)).id);
      const asked = async () => Promise.all(ids.map(openNow));
      expect(await asked()).toEqual(ids.map(() => [a.id]));
      await floor.disconnect(a);
      expect(await asked()).toEqual(ids.map(() => [b.id]));
      expect((await bob.ask('leaveConversation', { params: { conversationId: here } })).status).toBe(200);
      expect(await rest()).toEqual({ rounds: 20, timers: 20 });
      await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'polite' } });
      expect([await asked(), await rest()]).toEqual([ids.map(() => []), { rounds: 0, timers: 0 }]);
    });

    test('[C2A-15] with no agent there, only an author who asked something gets a notice', async () => {
      const here = await room();
      const [asked, said] = [await ann.post(here, question), await ann.post(here, talk)];
      expect([await told(asked.id), await told(said.id)]).toEqual([['nobody_took_it'], []]);
    });
  });

  describe('during an offer round', () => {
    test('[C2A-15] [C2A-27] deleted, it is nobody’s any more', async () => {
      const here = await room(a, b);
      const { id } = await ann.post(here, question);
      await ann.call('deleteMessage', { params: { messageId: id } });
      expect(await offers(id)).toEqual([[a.id, 'stopped']]);
      expect(await claim(a, id)).toBe('not_offered');
      const again = await ann.post(here, question);
      await claim(a, again.id);
      await ann.call('deleteMessage', { params: { messageId: again.id } });
      expect((await floor.tasks(here)).at(-1)).toMatchObject({ state: 'cancelled', cause: 'request_deleted' });
      await floor.pass(5 * minute);
      expect([await offers(again.id), await told(id), await told(again.id)]).toEqual([[[a.id, 'taken']], [], []]);
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test('[C2A-15] [C2A-25] edited, it goes on with the new text, or ends where that is for nobody or for another', async () => {
      const here = await room(a, b);
      const edit = (messageId: string, body: string) => ann.call('editMessage', { params: { messageId }, body: { body } });
      const kept = await ann.post(here, talk);
      await edit(kept.id, question);
      expect(await offers(kept.id)).toEqual([[a.id, 'open']]);
      await claim(a, kept.id);
      const row = async () => (await floor.kit.hub.kernel.store.rows('tasks', 'where conversation_id = ?', [here]))[0]!;
      const { lease } = await row();
      await edit(kept.id, `${question} Since Monday.`);
      // Taken from it and given again with the new text, however soon.
      await floor.pass();
      expect(await row()).toMatchObject({ agent_id: a.id, state: 'active' });
      expect((await row()).lease).toBeGreaterThan(lease);
      expect(await answer(a, here)).toBe('ok');
      const gone = await ann.post(here, question);
      await edit(gone.id, `@bob ${question}`);
      expect([await offers(gone.id), await claim(a, gone.id)]).toEqual([[[a.id, 'stopped']], 'not_offered']);
      const named = await ann.post(here, question);
      await edit(named.id, `^${b.handle} ${question}`);
      await floor.pass();
      expect(await offers(named.id)).toEqual([[a.id, 'stopped']]);
      expect((await floor.tasks(here)).at(-1)).toMatchObject({ agentId: b.id, addressedBy: 'mention' });
      const taken = await ann.post(here, question);
      await claim(a, taken.id);
      await edit(taken.id, `@bob ${question}`);
      expect((await floor.tasks(here)).at(-1)).toMatchObject({ agentId: a.id, state: 'cancelled', cause: 'request_edited' });
    });

    test('[C2A-15] [C2A-12] assigned to an agent as work, the message ends its round, also when the agent that had claimed it lets it go', async () => {
      const here = await room(a, b);
      const give = (messageId: string, memberId: string) => ann.ask('assignMessage', { params: { messageId }, body: { memberId } });
      const given = await ann.post(here, question);
      await give(given.id, b.id);
      expect([await offers(given.id), await claim(a, given.id)]).toEqual([[[a.id, 'stopped']], 'not_offered']);
      const own = await ann.post(here, question);
      await give(own.id, a.id);
      expect([await offers(own.id), await claim(a, own.id)]).toEqual([[[a.id, 'stopped']], 'not_offered']);
      const claimed = await ann.post(here, question);
      await pass(a, claimed.id);
      const c = await agent('C');
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
      expect(await claim(b, claimed.id)).toBe('agent_busy');
      await ann.call('editAgent', { params: { memberId: b.id }, body: { maxConcurrent: 9 } });
      expect(await claim(b, claimed.id)).toBe('ok');
      await give(claimed.id, c.id);
      await floor.disconnect(b);
      expect([await openNow(claimed.id), await told(claimed.id)]).toEqual([[], []]);
      const held = (await floor.tasks(here)).map(({ messageId, agentId }) => [messageId, agentId]);
      expect(held).toEqual([
        [given.id, b.id],
        [own.id, a.id],
        [claimed.id, b.id],
        [claimed.id, c.id],
      ]);
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test('[C2A-15] the author leaves, the channel is archived, or its floor becomes polite: the round ends without a word', async () => {
      const here = await room(a, b);
      const left = await bob.post(here, question);
      await bob.call('leaveConversation', { params: { conversationId: here } });
      const polite = await ann.post(here, question);
      await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'polite' } });
      await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
      const archived = await ann.post(here, question);
      await ann.call('editConversation', { params: { conversationId: here }, body: { archived: true } });
      for (const { id } of [left, polite, archived]) {
        expect(await offers(id)).toEqual([[a.id, 'stopped']]);
        expect(await told(id)).toEqual([]);
      }
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });
  });

  describe('written in pieces', () => {
    const slow = async (...members: Person[]) => {
      const here = await room(...members);
      await ann.call('editConversation', { params: { conversationId: here }, body: { composeMs: 2500 } });
      return here;
    };

    test('[C2A-4] [C2A-15] the pieces are one offer, made when its author has stopped; the task holds all of them', async () => {
      const here = await slow(a, b);
      const first = await ann.post(here, talk);
      await floor.pass(500);
      expect(await claim(a, first.id)).toBe('composing');
      await ann.call('sendTyping', { params: { conversationId: here } });
      await floor.pass(4 * second);
      await ann.post(here, 'thanks');
      const next = await ann.post(here, 'why is it red?');
      await floor.pass(500);
      expect(await offers(first.id)).toEqual([]);
      await floor.pass(second);
      expect([await offers(first.id), await offers(next.id)]).toEqual([[[a.id, 'open']], []]);
      expect(await claim(b, next.id)).toBe('not_offered');
      expect(await outcomes(next.id)).toEqual({ [a.id]: [1, 'waiting'], [b.id]: [null, 'waiting'] });
      expect(await claim(a, next.id)).toBe('ok');
      const [task] = await store().rows('tasks', 'where conversation_id = ?', [here]);
      expect(task).toMatchObject({ message_id: first.id, agent_id: a.id });
      expect((await saidIn(store(), task!)).map(({ kind, text }) => [kind, text])).toEqual([
        ['request', talk],
        ['request', 'why is it red?'],
      ]);
      expect(await answer(a, here)).toBe('ok');
      expect((await outcomes(next.id))[a.id]).toEqual([1, 'answered']);
    });

    test('[C2A-15] a question in a later fragment gives the round’s author a notice', async () => {
      const here = await slow();
      const first = await ann.post(here, talk);
      await ann.post(here, question);
      await floor.pass(3 * second);
      expect(await told(first.id)).toEqual(['nobody_took_it']);
    });

    test('[C2A-15] [C2A-25] edited fragments: an author whose edit asks gets a notice that nobody took it; an agent that lets the round go leaves all fragments to the next', async () => {
      const edit = (messageId: string, body: string) => ann.call('editMessage', { params: { messageId }, body: { body } });
      const empty = await slow();
      const first = await ann.post(empty, talk);
      await ann.post(empty, question);
      await edit(first.id, `${talk} It rained.`);
      await floor.pass(3 * second);
      expect(await told(first.id)).toEqual(['nobody_took_it']);
      const plain = await ann.post(empty, talk);
      const later = await ann.post(empty, 'There were gulls.');
      await edit(later.id, question);
      await floor.pass(3 * second);
      expect(await told(plain.id)).toEqual(['nobody_took_it']);
      n++;
      const here = await slow(a, b);
      const whole = await ann.post(here, talk);
      const piece = await ann.post(here, question);
      await floor.pass(3 * second);
      await claim(a, whole.id);
      await edit(piece.id, 'does anybody know why the build is green?');
      await floor.disconnect(a);
      expect(await claim(b, whole.id)).toBe('ok');
      const task = (await store().rows('tasks', 'where conversation_id = ? order by seq', [here])).at(-1)!;
      expect((await saidIn(store(), task)).map(({ kind, text }) => [kind, text])).toEqual([
        ['request', talk],
        ['request', 'does anybody know why the build is green?'],
      ]);
      expect(await answer(b, here)).toBe('ok');
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test('[C2A-15] [C2A-9] an urgent message does not wait for more, nor does the message it goes on with', async () => {
      const here = await slow(a, b);
      const post = (body: string) => ann.call('postMessage', { params: { conversationId: here }, body: { body, urgent: true } });
      const alone = await post(question);
      expect(await openNow(alone.id)).toEqual([a.id]);
      await pass(a, alone.id);
      await pass(b, alone.id);
      const first = await ann.post(here, talk);
      await post(question);
      await floor.pass(1);
      expect(await openNow(first.id)).toEqual([a.id]);
      for (const who of [a, b]) await pass(who, first.id);
      expect(await rest()).toEqual({ rounds: 0, timers: 0 });
    });

    test('[C2A-15] [SYS-4] a restart while it is written, or while one is asked, loses nothing and asks nobody twice', async () => {
      const [c, d] = [await agent('C', false), await agent('D', false)];
      const here = await slow(c, d);
      const { id } = await ann.post(here, question);
      await floor.kit.restart();
      await floor.connect(c);
      await floor.pass(3 * second);
      expect(await offers(id)).toEqual([[c.id, 'open']]);
      await floor.kit.restart();
      // Nobody has come back yet: it is not over for that.
      await floor.pass(second);
      expect(await told(id)).toEqual([]);
      await floor.connect(c);
      expect(await offers(id)).toEqual([[c.id, 'open']]);
      await pass(c, id);
      await floor.connect(d);
      expect(await openNow(id)).toEqual([d.id]);
      expect(await claim(d, id)).toBe('ok');
      await floor.kit.restart();
      // It is waited for a while; then what it took and has said nothing in is open again.
      await floor.pass(returnMs);
      const became = async () => (await floor.tasks(here)).map(({ agentId, cause }) => [agentId, cause]);
      await expect.poll(became).toEqual([[d.id, 'disconnected']]);
      await floor.connect(d);
      expect(await claim(d, id)).toBe('ok');
      expect(await answer(d, here)).toBe('ok');
      expect([await told(id), await rest()]).toEqual([[], { rounds: 0, timers: 0 }]);
    });
  });

  test('[C2A-5] [C2A-15] on the agents’ line it is a knock without a word and without a task; the words are pulled', async () => {
    const [c, d] = [await agent('C', false), await agent('D', false)];
    const here = await room(c, d);
    const [first, other] = [await Wire.hello(c), await Wire.hello(d)];
    const { id } = await ann.post(here, 'does anybody know a Zanzibar quokka?');
    const knock = async (wire: Wire) => {
      const { params } = await wire.frame(({ params: told_ }) => told_?.event.kind === 'offer');
      return RoundOffer.parse(params!.event);
    };
    const event = await knock(first);
    expect(event).toMatchObject({
      policy: 'may_respond',
      mode: 'notify',
      reason: 'ambient',
      content: null,
      words: [],
      task: null,
      chain: null,
    });
    expect(event).toMatchObject({ messageId: id, topic: 'question to nobody by name in a channel', lease: null, addressedToMe: false });
    expect(event.until).toBe(floor.clock.now() + 30 * second);
    expect(JSON.stringify(first.frames)).not.toContain('quokka');
    expect(other.events).toEqual([]);
    expect(await other.refusal('pull', { eventId: event.eventId })).toBe('not_offered');
    expect(await other.refusal('claim', { messageId: id })).toBe('not_offered');
    expect(await first.call('pull', { eventId: event.eventId })).toMatchObject({
      content: 'does anybody know a Zanzibar quokka?',
      task: null,
    });
    await first.call('pass', { messageId: id });
    expect(await first.refusal('pull', { eventId: event.eventId })).toBe('not_offered');
    const next = await knock(other);
    expect(next.eventId).not.toBe(event.eventId);
    const { task, lease } = await other.call('claim', { messageId: id });
    const { event: given } = await other.event('task', (one) => one.task.id === task.id);
    expect(given).toMatchObject({
      policy: 'may_respond',
      mode: 'buffered',
      reason: 'ambient',
      lease,
      content: 'does anybody know a Zanzibar quokka?',
    });
    await other.call('say', { taskId: task.id, lease, kind: 'answer', body: 'two of them' });
    expect((await first.ask('claim', {})).error?.message).toContain('parameters');
    await first.close();
    await other.close();
  });

  test('[C2A-15] [C2A-22] a signal takes it or lets it go, without a word', async () => {
    const here = await room(a, b);
    const { id } = await ann.post(here, question);
    const signal = (who: Person, one: 'declined' | 'claimed' | 'seen') =>
      code(who.ask('sendSignal', { params: { messageId: id }, body: { signal: one } }));
    expect(await signal(b, 'claimed')).toBe('forbidden');
    expect(await signal(a, 'seen')).toBe('ok');
    expect(await openNow(id)).toEqual([a.id]);
    expect(await signal(a, 'declined')).toBe('ok');
    expect(await openNow(id)).toEqual([b.id]);
    expect(await signal(b, 'claimed')).toBe('ok');
    await floor.pass();
    expect((await floor.tasks(here))[0]).toMatchObject({ agentId: b.id, state: 'active' });
  });

  describe('agents inside the hub', () => {
    const builtin = async (handle: string) => {
      const made = await agent(handle, false);
      await ann.call('editAgent', { params: { memberId: made.id }, body: { brain: 'builtin' } });
      return made;
    };
    const turns = async () => (await store().all<{ n: number }>('select count(*) as n from turns'))[0]!.n;

    test('[C2A-15] take up what they can answer, and let the rest go at once and without a turn', async () => {
      const orac = await builtin('C');
      const stef = await builtin('D');
      const here = await room(orac, stef);
      const before = await turns();
      const [asked, said] = [await ann.post(here, question), await ann.post(here, talk)];
      await floor.pass();
      for (const { id } of [asked, said])
        expect(await offers(id)).toEqual([
          [orac.id, 'declined'],
          [stef.id, 'declined'],
        ]);
      expect([await told(asked.id), await told(said.id), await floor.tasks(here)]).toEqual([['nobody_took_it'], [], []]);
      expect(await turns()).toBe(before);
      const known = await ann.post(here, 'who is here in this channel?');
      await floor.pass();
      expect(await offers(known.id)).toEqual([[orac.id, 'taken']]);
      expect((await floor.tasks(here)).map(({ agentId, state }) => [agentId, state])).toEqual([[orac.id, 'completed']]);
      expect(await turns()).toBe(before + 1);
      expect(await floor.bodies(here)).toHaveLength(4);
    });

    test('[C2A-15] stopped and released, they go on with what stands with them', async () => {
      const orac = await builtin('C');
      const here = await room(orac);
      await floor.kit.owner.call('halt', {});
      const { id } = await ann.post(here, 'who is here in this channel?');
      await floor.pass();
      expect(await offers(id)).toEqual([[orac.id, 'open']]);
      await floor.kit.owner.call('release', {});
      await floor.pass();
      expect((await floor.tasks(here))[0]).toMatchObject({ agentId: orac.id, state: 'completed' });
    });
  });

  test('[C2A-15] [PAP-1] after everything that was done here, no agent spoke unasked', async () => {
    expect(await new FloorModel(store(), all).verdict()).toEqual([]);
  });
});
