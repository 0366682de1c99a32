// A request is edited: whom it calls now, and who is no longer meant.

import type { Message } from '@parley/protocol';
import { onBothEngines } from '@parley/testkit';
import { describe, expect, test } from 'vitest';
import { editingFor } from '../../kit/edits.ts';

onBothEngines('edits', (engine) => {
  const { floor, ann, bob, a, b, c, room, settle, edit, asked, tasksOf, of } = editingFor(engine);
  const noticesOn = async (message: Message) => (await floor.notices(ann)).filter(({ messageId }) => messageId === message.id);

  describe('which agents an edit calls', () => {
    test('[C2A-25] those added get a task on it, those removed have theirs cancelled, those who stay keep theirs', async () => {
      const here = await room();
      const message = await asked(here, '^A ^B go');
      const [kept, dropped] = [await of(here, a), await of(here, b)];
      expect((await edit(message, '^A ^C go now')).status).toBe(200);
      await settle();
      expect(await of(here, a)).toMatchObject({ id: kept.id, state: 'active' });
      expect(await of(here, b)).toMatchObject({ id: dropped.id, state: 'cancelled', cause: 'request_edited' });
      expect(await of(here, c)).toMatchObject({ state: 'active', messageId: message.id, addressedBy: 'mention', requesterId: ann.id });
      // Who edited it knows.
      expect(await noticesOn(message)).toEqual([]);
      const refused = await floor.say(b, dropped, 'answer', 'too late');
      expect(refused.body.error).toMatchObject({ code: 'task_over', reason: 'request_edited' });
    });

    test('[C2A-25] sub-tasks end with the task, and removing the last address leaves nobody', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await floor.say(a, await of(here, a), 'progress', '^B help me');
      await settle();
      expect(await of(here, b)).toMatchObject({ state: 'active', parentId: (await of(here, a)).id });
      await edit(message, 'go');
      expect(await of(here, a)).toMatchObject({ state: 'cancelled', cause: 'request_edited' });
      expect(await of(here, b)).toMatchObject({ state: 'cancelled', cause: 'parent_ended' });
    });

    test('[C2A-25] taken out and called again, it has a task of its own again', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await edit(message, 'go');
      await edit(message, '^A go');
      await settle();
      expect(await tasksOf(here, a)).toMatchObject([{ state: 'cancelled' }, { state: 'active', addressedBy: 'mention' }]);
    });

    test('[C2A-25] an edit to filler takes the request back, and one in filler wakes nobody', async () => {
      const here = await room();
      const message = await asked(here, '^A go');
      await edit(message, '^A thanks!');
      expect(await of(here, a)).toMatchObject({ state: 'cancelled', cause: 'request_edited' });
      await edit(await ann.post(here, 'hello'), 'thanks ^B');
      expect(await tasksOf(here, b)).toEqual([]);
    });

    test('[C2A-25] an old text that is mended wakes nobody who came since', async () => {
      const here = await room(a);
      const message = await asked(here, '^ALL go, ^B as well');
      for (const late of [b, c]) await ann.call('addToConversation', { params: { conversationId: here }, body: { memberId: late.id } });
      await edit(message, '^ALL please go, ^B as well');
      await settle();
      expect((await floor.tasks(here)).map(({ agentId }) => agentId)).toEqual([a.id]);
    });

    test('[C2A-25] [SYS-9] where history begins on joining, an edit of what was said before is not there for it', async () => {
      const channel = await ann.call('createChannel', { body: { name: 'from-joining', visibility: 'private', history: 'joined' } });
      const message = await ann.post(channel.id, 'the plan is secret');
      await ann.call('addToConversation', { params: { conversationId: channel.id }, body: { memberId: a.id } });
      await edit(message, '^A the plan is secret');
      expect(await floor.tasks(channel.id)).toEqual([]);
    });

    test('[C2A-25] [PAP-4] a task for any agent stays on offer while nobody has it, and goes with its address', async () => {
      const here = await room();
      const message = await ann.post(here, '^ANY go');
      await edit(message, '^ANY go now');
      expect(await floor.tasks(here)).toMatchObject([{ state: 'offered', agentId: null }]);
      await a.call('startTask', { params: { taskId: (await floor.tasks(here))[0]!.id } });
      // Whoever has it is called by name now: it is the same task.
      await edit(message, '^A go now');
      await settle();
      expect(await floor.tasks(here)).toMatchObject([{ state: 'active', agentId: a.id }]);
      const other = await ann.post(here, '^ANY look');
      await edit(other, '^B look');
      const offer = (await floor.tasks(here)).find(({ messageId, agentId }) => messageId === other.id && agentId === null);
      expect(offer).toMatchObject({ state: 'cancelled', cause: 'request_edited' });
      expect(await of(here, b)).toMatchObject({ messageId: other.id });
      await edit(await ann.post(here, 'anybody?'), '^ANY anybody?');
      expect((await floor.tasks(here)).filter(({ state }) => state === 'offered')).toHaveLength(1);
    });

    test('[C2A-25] [PAP-3] adding ^ALL over many needs a second confirmation, and without it nothing is edited', async () => {
      const many = await Promise.all(Array.from({ length: 12 }, (_, i) => floor.agent(`M${i}`, { online: false })));
      const here = await room(...many);
      const message = await ann.post(here, 'report');
      const refused = await edit(message, '^ALL report');
      expect(refused.body.error).toMatchObject({ code: 'confirm_all', reason: '12' });
      expect((await floor.bodies(here)).at(-1)).toEqual(['ann', 'report']);
      expect((await edit(message, '^ALL report', { confirmAll: 12 })).status).toBe(200);
      expect(await floor.tasks(here)).toHaveLength(12);
    });

    test('[C2A-25] [PAP-18] a name that nobody has gets one notice, when it appears', async () => {
      const here = await room();
      const message = await asked(here, '^NOBODY go');
      await edit(message, '^NOBODY go now');
      expect(await noticesOn(message)).toHaveLength(1);
      await edit(message, '^NOBODY ^NOONE go now');
      expect((await noticesOn(message)).map(({ kind }) => kind)).toEqual(['unknown_handle', 'unknown_handle']);
    });

    test('[C2A-25] nobody but its author edits it, and what is refused wakes nobody', async () => {
      const here = await room();
      const message = await ann.post(here, 'go');
      expect((await edit(message, '^A go', {}, bob)).status).toBe(403);
      expect((await edit(message, '^A go', {}, floor.kit.owner)).status).toBeGreaterThanOrEqual(403);
      expect((await edit(message, '^A go', { version: 7 })).body.error?.code).toBe('version_conflict');
      expect(await floor.tasks(here)).toEqual([]);
    });
  });

  test('[C2A-25] [PAP-15] a task that was redirected to another agent is that agent’s, and an edit of the instruction is for that agent', async () => {
    const here = await room();
    const message = await asked(here, '^A go');
    const body = { instruction: 'do it by noon', agentId: b.id };
    const turned = await ann.call('redirectTask', { params: { taskId: (await of(here, a)).id }, body });
    await settle();
    await edit(message, '^A go now');
    await edit({ id: turned.messageId }, 'do it by one');
    await settle();
    expect(await tasksOf(here, a)).toMatchObject([{ cause: 'redirected' }]);
    expect(await tasksOf(here, b)).toMatchObject([{ id: turned.id, state: 'active' }]);
  });

  describe('authors who may not speak there any more', () => {
    test('[C2A-25] [PAP-1] can mend what they said, and wakes nobody by it', async () => {
      const here = await room();
      const message = await bob.post(here, 'go');
      await bob.call('leaveConversation', { params: { conversationId: here } });
      expect((await edit(message, '^A go', {}, bob)).status).toBe(200);
      expect(await floor.tasks(here)).toEqual([]);
    });
  });
});
