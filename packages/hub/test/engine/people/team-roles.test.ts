// Roles: handles that several members answer to. One namespace with theirs, one task when called.

import { preview } from '@parley/core';
import { Ear, onBothEngines, type Person } from '@parley/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { floorFor, freshAgents } from '../../kit/floor.ts';

onBothEngines('roles', (engine) => {
  const { floor, ann, bob, owner } = floorFor(engine);
  const [a, b] = freshAgents(floor, 'A', 'B');
  let n = 0;
  beforeEach(() => void n++);
  const room = (...members: Person[]) => floor.channel(`roles-${n}`, bob, ...members);
  const add = (handle: string, ...holders: Person[]) => owner.call('addRole', { body: { handle, holderIds: holders.map(({ id }) => id) } });
  const addMember = (handle: string) => owner.ask('addMember', { body: { kind: 'human', handle, displayName: handle } });
  const code = async (asked: Promise<{ status: number; body: { error?: { code: string } } }>) => {
    const { status, body } = await asked;
    return status === 200 ? 'ok' : body.error?.code;
  };
  const claim = async (who: Person, taskId: string) => code(who.ask('startTask', { params: { taskId } }));
  const kinds = async (since: number) => (await floor.notices(ann)).slice(since).map(({ kind }) => kind);

  describe('one namespace', () => {
    test('[C2A-34] a role and a member never share a handle, whatever the case, made or renamed', async () => {
      const role = await add(`watch${n}`, a);
      expect(await code(addMember(`WATCH${n}`))).toBe('handle_taken');
      expect(await code(owner.ask('addRole', { body: { handle: `Watch${n}` } }))).toBe('handle_taken');
      expect(await code(owner.ask('addRole', { body: { handle: a.handle.toLowerCase() } }))).toBe('handle_taken');
      expect(await code(ann.ask('editMember', { params: { memberId: ann.id }, body: { handle: `wAtch${n}` } }))).toBe('handle_taken');
      expect(await code(owner.ask('editRole', { params: { roleId: role.id }, body: { handle: 'BOB' } }))).toBe('handle_taken');
      expect(await owner.call('editRole', { params: { roleId: role.id }, body: { handle: `WATCH${n}` } })).toMatchObject({
        handle: `WATCH${n}`,
      });
    });

    test.each(['all', 'ANY', 'Here', 'everyone'])('[C2A-34] %s addresses a group and is nobody’s', async (handle) => {
      expect(await code(owner.ask('addRole', { body: { handle } }))).toBe('invalid_request');
    });

    test('[C2A-34] a member and a role that want one handle at the same moment: one has it', async () => {
      for (let i = 0; i < 10; i++) {
        const handle = `both${n}-${i}`;
        const both = await Promise.all([code(addMember(handle)), code(owner.ask('addRole', { body: { handle: handle.toUpperCase() } }))]);
        expect(both.toSorted()).toEqual(['handle_taken', 'ok']);
      }
    });
  });

  describe('rights to edit roles', () => {
    test('[C2A-34] [SYS-11] owners and admins manage, people see, agents do neither', async () => {
      const role = await add(`seen${n}`, a, bob);
      const guest = await floor.kit.person(`guest${n}`, 'guest');
      const admin = await floor.kit.person(`admin${n}`, 'admin');
      const listed = async (who: Person) => (await who.call('listRoles', {})).roles.find(({ id }) => id === role.id)?.holderIds;
      expect(new Set(await listed(ann))).toEqual(new Set([a.id, bob.id]));
      // A guest is not told of members they share no conversation with.
      expect(await listed(guest)).toEqual([]);
      expect(await code(a.ask('listRoles', {}))).toBe('outside_task');
      for (const who of [ann, guest, a]) {
        expect(await code(who.ask('addRole', { body: { handle: `mine${n}` } }))).toBe('forbidden');
        expect(await code(who.ask('editRole', { params: { roleId: role.id }, body: { about: 'mine' } }))).toBe('forbidden');
        expect(await code(who.ask('removeRole', { params: { roleId: role.id } }))).toBe('forbidden');
      }
      expect(await code(admin.ask('editRole', { params: { roleId: role.id }, body: { about: 'those who are awake' } }))).toBe('ok');
    });

    test('[C2A-34] a role is on the stream as it comes, changes and goes', async () => {
      const ear = new Ear(ann);
      await ear.ready();
      const role = await add(`told${n}`, a);
      await owner.call('editRole', { params: { roleId: role.id }, body: { holderIds: [a.id, b.id, b.id] } });
      await owner.call('removeRole', { params: { roleId: role.id } });
      await ear.fact('role.removed', ({ data }) => data.roleId === role.id);
      expect((await ann.call('listRoles', {})).roles.some(({ id }) => id === role.id)).toBe(false);
      expect(await code(owner.ask('removeRole', { params: { roleId: role.id } }))).toBe('not_found');
      ear.close();
    });

    test('[C2A-34] [SYS-14] a member who is deactivated or erased holds no role, and does not again when back', async () => {
      const carl = await floor.kit.person(`carl${n}`);
      const role = await add(`gone${n}`, a, carl);
      await owner.call('deactivateMember', { params: { memberId: a.id } });
      await owner.call('reactivateMember', { params: { memberId: a.id } });
      await owner.call('eraseMember', { params: { memberId: carl.id } });
      expect((await ann.call('listRoles', {})).roles.find(({ id }) => id === role.id)?.holderIds).toEqual([]);
      expect(await floor.kit.hub.kernel.store.rows('role_holders', 'where role_id = ?', [role.id])).toEqual([]);
      expect(await code(owner.ask('editRole', { params: { roleId: role.id }, body: { holderIds: [carl.id] } }))).toBe('invalid_request');
    });
  });

  describe('called', () => {
    test('[C2A-34] one task for all who hold it here, taken by the first; nobody else is woken', async () => {
      const c = await floor.agent(`C${n}`);
      const here = await room(a, b, c);
      await add(`oncall${n}`, a, b, bob);
      const before = (await floor.notices(ann)).length;
      const asked = await ann.post(here, `^OnCall${n} the disk is full`);
      await floor.pass();
      const [task, ...more] = await floor.tasks(here);
      expect(more).toEqual([]);
      expect(task).toMatchObject({ agentId: null, state: 'offered', addressedBy: 'role', messageId: asked.id });
      expect(await kinds(before)).toEqual([]);
      expect(await claim(c, task!.id)).toBe('not_offered');
      expect((await Promise.all([claim(a, task!.id), claim(b, task!.id)])).toSorted()).toEqual(['already_claimed', 'ok']);
      const [row] = await floor.tasks(here);
      expect((await floor.say(row!.agentId === a.id ? a : b, row!, 'answer', 'cleaned')).status).toBe(200);
    });

    test('[C2A-34] the preview, the page’s own functions and what happens agree', async () => {
      const here = await room(a, b);
      await add(`agree${n}`, a);
      const body = `^agree${n} look at this`;
      const told = await ann.call('previewMessage', { params: { conversationId: here }, body: { body } });
      const verdicts = Object.fromEntries(told.agents.map(({ handle, policy, mode, reason }) => [handle, { policy, mode, reason }]));
      expect(verdicts).toEqual({
        [a.handle]: { policy: 'must_respond', mode: 'notify', reason: 'role' },
        [b.handle]: { policy: 'must_not_respond', mode: 'tool_mailbox', reason: 'addressed_to_others' },
      });
      const members = [
        { handle: 'ann', kind: 'human' as const },
        { handle: a.handle, kind: 'agent' as const, roles: [`agree${n}`] },
        { handle: b.handle, kind: 'agent' as const },
      ];
      const page = preview({ kind: 'channel', floor: 'polite', members }, 'ann', body);
      expect(page.addresses).toMatchObject([{ kind: 'role', handle: `agree${n}`, start: 0 }]);
      for (const handle of [a.handle, b.handle]) expect(page.verdicts.get(handle)).toMatchObject(verdicts[handle]!);
    });

    test('[C2A-34] a role without a holder here: the author gets a notice, and no task is made', async () => {
      const here = await room(b);
      await add(`empty${n}`, a);
      const before = (await floor.notices(ann)).length;
      const asked = await ann.post(here, `^empty${n} are you there?`);
      expect(await floor.tasks(here)).toEqual([]);
      expect((await floor.notices(ann)).slice(before)).toMatchObject([
        { kind: 'nobody_holds', messageId: asked.id, start: 0, end: `^empty${n}`.length },
      ]);
    });

    test('[C2A-34] held by people only, it calls them as a mention does: no task, no notice', async () => {
      const here = await room(a);
      await add(`people${n}`, bob);
      const before = (await floor.notices(ann)).length;
      await ann.post(here, `@people${n} could you look?`);
      expect(await floor.tasks(here)).toEqual([]);
      expect(await kinds(before)).toEqual([]);
    });

    test('[C2A-34] nothing but thanks knocks on nobody', async () => {
      const here = await room(a);
      await add(`thanks${n}`, a);
      await ann.post(here, `^thanks${n} thanks!`);
      expect(await floor.tasks(here)).toEqual([]);
    });

    test('[C2A-34] a task for a role whose holders are away waits for one; a new holder gets the offer', async () => {
      const here = await room(a, b);
      const role = await add(`later${n}`, a);
      await floor.disconnect(a);
      const before = (await floor.notices(ann)).length;
      await ann.post(here, `^later${n} help`);
      expect(await kinds(before)).toEqual(['nobody_available']);
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'queued', agentId: null });
      await owner.call('editRole', { params: { roleId: role.id }, body: { holderIds: [b.id] } });
      const [task] = await floor.tasks(here);
      expect(task!.state).toBe('offered');
      expect(await claim(b, task!.id)).toBe('ok');
    });

    test('[C2A-34] two roles are two requests, and who holds both may have both', async () => {
      const here = await room(a);
      await owner.call('editAgent', { params: { memberId: a.id }, body: { maxConcurrent: 2 } });
      await add(`one${n}`, a);
      await add(`two${n}`, a);
      await ann.post(here, `^one${n} and ^two${n}: report`);
      const tasks = await floor.tasks(here);
      expect(tasks.map(({ addressedBy }) => addressedBy)).toEqual(['role', 'role']);
      for (const { id } of tasks) expect(await claim(a, id)).toBe('ok');
    });

    test('[C2A-34] tasks that nobody has taken end with their role, and the requester gets a notice', async () => {
      const here = await room(a);
      const role = await add(`removed${n}`, a);
      await ann.post(here, `^removed${n} help`);
      const before = (await floor.notices(ann)).length;
      await owner.call('removeRole', { params: { roleId: role.id } });
      expect((await floor.tasks(here))[0]).toMatchObject({ state: 'cancelled', cause: 'role_removed' });
      expect(await kinds(before)).toEqual(['task_stopped']);
    });

    test('[C2A-34] [PAP-10] an agent calls a role: one sub-task, in its chain, for whichever holder takes it', async () => {
      const c = await floor.agent(`C${n}`);
      const here = await room(a, b, c);
      await add(`sub${n}`, a, b, c);
      await ann.post(here, `^${a.handle} do it`);
      await floor.pass();
      const [parent] = await floor.tasks(here);
      expect((await floor.say(a, parent!, 'progress', `^sub${n} please check`)).status).toBe(200);
      const [, child, ...more] = await floor.tasks(here);
      expect(more).toEqual([]);
      expect(child).toMatchObject({ parentId: parent!.id, agentId: null, state: 'offered', addressedBy: 'role', depth: 1 });
      expect(await claim(a, child!.id)).toBe('not_offered');
      expect(await claim(b, child!.id)).toBe('ok');
      expect((await floor.say(b, child!, 'answer', 'checked')).status).toBe(200);
      expect((await floor.tasks(here))[1]).toMatchObject({ state: 'completed', agentId: b.id });
    });
  });
});
