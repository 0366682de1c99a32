// Why somebody was woken, or was not, asked long after: what was decided then is read, whatever has become of the room,
// its agents and the rules since.

import type { Explanation } from '@parley/protocol';
import { onBothEngines, type Person, promote } from '@parley/testkit';
import { expect, test } from 'vitest';
import { type Floor, floorOn } from '../kit/floor.ts';

const minute = 60_000;

async function why(who: Person, messageId: string, wouldNow: 'true' | 'false' = 'false'): Promise<Explanation> {
  return who.call('explainMessage', { params: { messageId }, query: { wouldNow } });
}
const of = ({ agents }: Explanation, agent: Person) => agents.find(({ agentId }) => agentId === agent.id);
const verdict = (explanation: Explanation, agent: Person) => {
  const { policy, mode, reason, outcome } = of(explanation, agent) ?? {};
  return [policy, mode, reason, outcome];
};

async function scene(floor: Floor) {
  const [a, b, c] = [await floor.agent('A'), await floor.agent('B'), await floor.agent('C')];
  const here = await floor.channel('here', floor.bob, a, b);
  const said = new Map<string, string>();
  const say = async (name: string, body: string, where = here) => {
    const { id } = await floor.ann.post(where, body);
    said.set(name, id);
    await floor.pass();
    return id;
  };
  const taskOn = async (messageId: string) => (await floor.tasks(here)).find((task) => task.messageId === messageId)!;
  return { a, b, c, here, said, say, taskOn };
}

onBothEngines('asking why', (engine) => {
  test('[C2A-32] what was decided stays byte for byte, whatever changes; what would be decided now stands apart', async () => {
    const floor = await floorOn(engine);
    const { ann, bob } = floor;
    try {
      const { a, b, c, here, said, say, taskOn } = await scene(floor);
      const asked = await say('mention', '^A go on with it');
      const given = (await floor.say(a, await taskOn(asked), 'progress', '^B help me, @bob look')).body as { id: string };
      said.set('delegated', given.id);
      await say('ambient', 'I wonder how this went');
      await say('status', 'build 4711 passed in 3 min');
      await say('thanks', '^A thanks');
      await say('others', '@bob what do you think?');
      await say('unknown', '^NOBODY are you there?');
      await say('all', '^ALL report');
      await say('any', '^ANY take this');
      const dm = await ann.call('openDm', { body: { memberIds: [a.id] } });
      await say('direct', 'how far are you?', dm.id);
      const thread = await ann.call('openThread', { params: { messageId: asked } });
      await say('thread', 'I have looked at it, too', thread.id);
      await ann.call('redirectTask', { params: { taskId: (await taskOn(asked)).id }, body: { instruction: 'in French' } });
      said.set('redirect', await latest(floor, here));

      const kept = new Map<string, string>();
      for (const [name, id] of said) {
        const { recorded, wouldNow } = await why(ann, id);
        expect([name, recorded?.rules]).toEqual([name, 1]);
        if (name === 'ambient') expect(wouldNow).toBeNull();
        kept.set(name, JSON.stringify(recorded));
        // Facts name members by their ids: no word and no handle is in them.
        expect(kept.get(name)).not.toMatch(/wonder|report|NOBODY|"A"|bob/);
      }
      const record = (name: string) => JSON.parse(kept.get(name)!) as NonNullable<Explanation['recorded']>;
      expect(record('ambient')).toMatchObject({ floor: 'polite', words: { filler: false, status: false }, others: { reason: 'ambient' } });
      expect(record('status')).toMatchObject({ words: { status: true }, others: { mode: 'digest', reason: 'status' } });
      expect(record('others').to.members).toEqual([bob.id]);
      expect(record('delegated').to.members).toEqual([b.id, bob.id]);
      expect(record('all').to.allAgents).toBe(true);
      expect(record('redirect').agents[0]).toMatchObject({ agentId: a.id, reason: 'redirect', task: true });
      // C was not there, and is not told of.
      for (const name of kept.keys()) expect(record(name).agents.some(({ agentId }) => agentId === c.id)).toBe(false);

      await ann.call('editMember', { params: { memberId: a.id }, body: { handle: 'NOBODY', displayName: 'Somebody else' } });
      await floor.kit.owner.call('editMember', { params: { memberId: bob.id }, body: { handle: 'rob' } });
      await promote(floor.kit.owner, bob, 'admin');
      await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
      await ann.call('removeFromConversation', { params: { conversationId: here, memberId: b.id } });
      await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: c.id } });
      await floor.kit.owner.call('deactivateMember', { params: { memberId: b.id } });
      await ann.call('deleteMessage', { params: { messageId: said.get('others')! } });
      await floor.kit.restart({ rules: 2 });
      for (const [name, id] of said) expect([name, JSON.stringify((await why(ann, id)).recorded)]).toEqual([name, kept.get(name)]);

      const ambient = await why(ann, said.get('ambient')!);
      // Two were there then, and are called as they are today.
      expect(ambient.agents.map(({ handle }) => handle)).toEqual(['B', 'NOBODY']);
      expect(verdict(ambient, a)).toEqual(['must_not_respond', 'tool_mailbox', 'ambient', 'forbidden']);
      expect(ambient.floor).toBe('polite');
      expect(ambient.wouldNow).toMatchObject({ rules: 2, floor: 'open', others: { policy: 'may_respond' } });
      expect(ambient.wouldNow?.agents.map(({ agentId, policy }) => [agentId, policy])).toEqual([[a.id, 'may_respond']]);
      // Today the name is somebody's.
      const unknown = await why(ann, said.get('unknown')!);
      expect(of(unknown, a)?.policy).toBe('must_not_respond');
      expect(unknown.wouldNow?.agents).toMatchObject([{ agentId: a.id, policy: 'must_respond', reason: 'mention' }]);
      // Where nothing would differ it is there only when asked for; of what is deleted nothing can be decided.
      expect((await why(ann, said.get('status')!)).wouldNow).toBeNull();
      expect((await why(ann, said.get('status')!, 'true')).wouldNow).toMatchObject({ rules: 2, others: { reason: 'status' } });
      expect((await why(ann, said.get('others')!, 'true')).wouldNow).toBeNull();
      // What is said now is decided by the rules of now.
      expect((await why(ann, (await ann.post(here, 'so far')).id)).recorded).toMatchObject({ rules: 2, floor: 'open' });
    } finally {
      await floor.kit.stop();
    }
  });

  test('[C2A-32] who had left, had not come yet, or was away for good at the time is not told of', async () => {
    const floor = await floorOn(engine);
    const { ann } = floor;
    try {
      const { a, b, c, here } = await scene(floor);
      const members = async (messageId: string) => (await why(ann, messageId)).recorded!.agents.map(({ agentId }) => agentId);
      const put = (agent: Person) => ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: agent.id } });
      const take = (agent: Person) => ann.call('removeFromConversation', { params: { conversationId: here, memberId: agent.id } });
      const first = await ann.post(here, 'one');
      await take(b);
      const second = await ann.post(here, 'two');
      await put(b);
      await put(c);
      await floor.kit.owner.call('deactivateMember', { params: { memberId: a.id } });
      const third = await ann.post(here, 'three');
      // Called before it came: today it would be woken, and is named.
      const early = await ann.post(here, '^D look');
      const d = await floor.agent('D');
      await put(d);
      const wouldNow = (await why(ann, early.id)).wouldNow?.agents.find(({ agentId }) => agentId === d.id);
      expect(wouldNow).toMatchObject({ policy: 'must_respond', reason: 'mention' });
      await take(d);
      await floor.kit.owner.call('reactivateMember', { params: { memberId: a.id } });
      await take(b);
      expect(await members(first.id)).toEqual([a.id, b.id].toSorted());
      expect(await members(second.id)).toEqual([a.id]);
      expect(await members(third.id)).toEqual([b.id, c.id].toSorted());
    } finally {
      await floor.kit.stop();
    }
  });

  test('[C2A-32] [C2A-13] that it chose not to, that it was not to, and that it failed are different outcomes', async () => {
    const floor = await floorOn(engine);
    const { ann } = floor;
    try {
      const { a, b, here, say, taskOn } = await scene(floor);
      const answered = await say('answered', '^A one');
      const last = (await floor.say(a, await taskOn(answered), 'answer', 'done')).body as { id: string };
      // To the one that said it, it is its own message, then and now.
      expect(await why(ann, last.id)).toMatchObject({ wouldNow: null });
      expect(of(await why(ann, last.id), a)?.reason).toBe('own_message');
      const declined = await say('declined', '^A two');
      const { id: taskId } = await taskOn(declined);
      const [row] = await floor.kit.hub.kernel.store.rows('tasks', 'where id = ?', [taskId]);
      await a.call('declineTask', { params: { taskId }, body: { lease: row!.lease, reason: 'not mine' } });
      const asks = await say('asks', '^A three');
      await floor.say(a, await taskOn(asks), 'question', 'which?');
      expect(verdict(await why(ann, asks), a)).toEqual(['must_respond', 'buffered', 'mention', 'waiting']);
      const failed = await say('failed', '^B four');
      expect(verdict(await why(ann, failed), b)).toEqual(['must_respond', 'buffered', 'mention', 'working']);
      await floor.pass(31 * minute);
      expect(verdict(await why(ann, answered), a)).toEqual(['must_respond', 'buffered', 'mention', 'answered']);
      expect(verdict(await why(ann, declined), a)).toEqual(['must_respond', 'buffered', 'mention', 'declined']);
      expect(verdict(await why(ann, failed), b)).toEqual(['must_respond', 'buffered', 'mention', 'failed']);
      expect(of(await why(ann, failed), b)).toMatchObject({ cause: 'run_time', task: { state: 'timed_out' } });
      expect(verdict(await why(ann, failed), a)).toEqual(['must_not_respond', 'tool_mailbox', 'addressed_to_others', 'forbidden']);
      const anyone = await say('any', '^ANY five');
      const task = await taskOn(anyone);
      expect(verdict(await why(ann, anyone), b)).toEqual([
        'must_respond',
        'buffered',
        'any_agent',
        task.agentId === b.id ? 'working' : 'waiting',
      ]);
      await ann.call('editConversation', { params: { conversationId: here }, body: { floor: 'open' } });
      // It answers the question of A, so that nobody else is asked.
      expect(verdict(await why(ann, await say('open', 'I like the second one better')), b)).toEqual([
        'may_respond',
        'tool_mailbox',
        'ambient',
        'not_asked',
      ]);
      const talk = await say('talk', 'I went to the harbour yesterday.');
      expect(verdict(await why(ann, talk), b)).toEqual(['may_respond', 'tool_mailbox', 'ambient', 'waiting']);
      await floor.pass(minute);
      expect(verdict(await why(ann, talk), b)).toEqual(['may_respond', 'tool_mailbox', 'ambient', 'silent']);
    } finally {
      await floor.kit.stop();
    }
  });

  test('[C2A-14] [C2A-32] filler said to an agent is withheld, and its author is told', async () => {
    const floor = await floorOn(engine);
    const { ann } = floor;
    try {
      const { a, b, here } = await scene(floor);
      const dm = await ann.call('openDm', { body: { memberIds: [a.id] } });
      for (const [where, body] of [
        [here, '^A thanks!'],
        [dm.id, 'got it 👍'],
      ] as const) {
        const said = await ann.post(where, body);
        const explanation = await why(ann, said.id);
        expect(verdict(explanation, a)).toEqual(['must_not_respond', 'tool_mailbox', 'filler', 'withheld']);
        expect(explanation.notices).toMatchObject([{ kind: 'nothing_to_answer', agentId: a.id, messageId: said.id }]);
        // Nobody else is told.
        expect((await why(floor.kit.owner, said.id).catch(() => undefined))?.notices ?? []).toEqual([]);
        if (where === here) expect(verdict(explanation, b)).toEqual(['must_not_respond', 'tool_mailbox', 'filler', 'forbidden']);
      }
      // Said to nobody, it is withheld from nobody; with a request in it, it is a request.
      const aside = await why(ann, (await ann.post(here, 'thanks')).id);
      expect([verdict(aside, a)[3], aside.notices]).toEqual(['forbidden', []]);
      expect(verdict(await why(ann, (await ann.post(here, '^A thanks, now deploy it')).id), a)[2]).toBe('mention');
      const all = await why(ann, (await ann.post(here, '^ALL thanks')).id);
      expect([verdict(all, a)[3], verdict(all, b)[3], all.notices.map(({ kind, agentId }) => [kind, agentId])]).toEqual([
        'withheld',
        'withheld',
        [['nothing_to_answer', null]],
      ]);
      expect(await floor.tasks(dm.id)).toEqual([]);
    } finally {
      await floor.kit.stop();
    }
  });

  test('[C2A-32] a message from before decisions were kept says so; its tasks are known', async () => {
    const floor = await floorOn(engine);
    const { ann } = floor;
    try {
      const { a, here } = await scene(floor);
      const said = await ann.post(here, '^A go');
      await floor.pass();
      const { store } = floor.kit.hub.kernel;
      const rows = store.rows.bind(store);
      store.rows = async (table, ...query) => {
        const found = await rows(table, ...query);
        return table === 'facts' ? found.map((fact) => ({ ...fact, data: '{}' })) : found;
      };
      const explanation = await why(ann, said.id);
      expect(explanation).toMatchObject({ recorded: null, others: null, wouldNow: null });
      expect(explanation.agents).toMatchObject([{ agentId: a.id, policy: 'must_respond', reason: 'mention', outcome: 'working' }]);
      expect((await why(ann, said.id, 'true')).wouldNow).toMatchObject({ rules: 1, others: { reason: 'addressed_to_others' } });
    } finally {
      await floor.kit.stop();
    }
  });
});

async function latest(floor: Floor, conversationId: string): Promise<string> {
  const { messages } = await floor.ann.call('listMessages', { params: { conversationId }, query: {} });
  return messages.at(-1)!.id;
}
