// What agents need approval for, and what became of the work they gave on, as the terminal shows it: agents made with the SDK, on
// a hub on either engine.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditPage } from '@parley/protocol';
import { type AgentTask, connectAgent, type ConnectedAgent } from '@parley/sdk/agent';
import { Ear, onBothEngines, type Person, startTestHub, type TestHub } from '@parley/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parley, type Said } from '../in-process.ts';
import type { RunOptions } from '../kit.ts';

onBothEngines('agents at work, in the terminal', (engine) => {
  let kit: TestHub;
  let cwd: string;
  let ada: Person;
  let shell: RunOptions;
  const agents: ConnectedAgent[] = [];
  const errors: unknown[] = [];
  beforeAll(async () => {
    cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
    kit = await startTestHub(engine, { agents: [] }, { PARLEY_LOG: 'silent' });
    ada = await kit.person('ada', 'owner');
    shell = { cwd, env: { PARLEY_URL: kit.url, PARLEY_TOKEN: ada.token } };
  });
  afterAll(async () => {
    for (const agent of agents) agent.close();
    await kit.stop();
    await rm(cwd, { recursive: true });
  });

  /** Connected, and at work as it is told. */
  async function agent(handle: string, onTask: (task: AgentTask) => Promise<string | void>): Promise<Person> {
    const made = await kit.agent(handle, ada);
    const connected = connectAgent({ url: kit.url, token: made.token, onTask, onError: (error) => void errors.push(error) });
    agents.push(connected);
    await expect.poll(() => connected.state.status).toBe('live');
    return made;
  }
  async function asked(whom: Person, text: string): Promise<{ dm: string; taskId: string }> {
    const { id: dm } = await ada.call('openDm', { body: { memberIds: [whom.id] } });
    const { id } = await ada.post(dm, text);
    const { tasks } = await ada.call('listTasks', { query: { conversationId: dm, state: 'all' } });
    return { dm, taskId: tasks.find(({ messageId }) => messageId === id)!.id };
  }
  const comesTo = async (taskId: string, state: string): Promise<void> => {
    await expect.poll(async () => (await ada.call('getTask', { params: { taskId } })).state).toBe(state);
  };
  const words = async (dm: string) =>
    (await ada.call('listMessages', { params: { conversationId: dm }, query: {} })).messages.map(({ body }) => body);
  const cli = (...args: string[]): Promise<Said> => parley(args, shell);

  test('[SYS-1] [IAC-14] decided in the terminal while it is shown elsewhere; decided elsewhere, the terminal is told', async () => {
    const senior = await agent('SENIOR', (task) => Promise.resolve(`${task.text.split('\n').at(-1)} Yes.`));
    const intern = await agent('INTERN', async (task) => {
      const { text } = await task.contact({ action: 'ask', agentId: senior.id, message: task.text });
      return text;
    });
    await ada.call('setContactRule', {
      params: { memberId: intern.id, target: '*' },
      body: { permission: 'allow', requiresApproval: true },
    });
    const inbox = async () => (await ada.call('listCheckpoints', { query: {} })).checkpoints;
    // The first place, which is told as it comes and as it goes.
    const page = new Ear(ada);
    await page.ready();
    const first = await asked(intern, 'Is it sound?');
    await comesTo(first.taskId, 'awaiting_approval');
    const { checkpoint } = (await page.fact('checkpoint.opened')).data;
    const [shown] = await inbox();
    expect(shown).toMatchObject({ open: true, detail: 'Action: ask\nMessage: "Is it sound?"' });
    expect(checkpoint.id).toBe(shown!.id);
    expect((await cli('inbox')).out).toContain(
      `${shown!.id}  INTERN wants to contact SENIOR:\n  Action: ask\n  Message: "Is it sound?"\n  A rule requires approval for this contact.\n`,
    );
    expect(await cli('inbox', 'approve', shown!.id)).toMatchObject({ code: 0, out: expect.stringContaining('Answered: Approve, by @') });
    await page.fact('checkpoint.closed');
    page.close();
    // Answered twice from two places, the first counts, and the other is told.
    const late = await ada.ask('closeCheckpoint', { params: { checkpointId: shown!.id }, body: { choice: 'deny' } });
    expect([late.status, late.body]).toMatchObject([200, { open: false, choice: 'approve', closedBy: ada.id }]);
    await comesTo(first.taskId, 'completed');
    expect((await words(first.dm)).at(-1)).toBe('Response from SENIOR: Is it sound? Yes.');

    const second = await asked(intern, 'And this one?');
    await comesTo(second.taskId, 'awaiting_approval');
    const [again] = await inbox();
    await ada.call('closeCheckpoint', { params: { checkpointId: again!.id }, body: { choice: 'deny' } });
    expect(await cli('inbox', 'approve', again!.id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('It was answered before: Deny.'),
    });
    await comesTo(second.taskId, 'completed');
    expect((await words(second.dm)).at(-1)).toBe('Approval denied for contacting SENIOR.');

    const third = await asked(intern, 'And that?');
    await comesTo(third.taskId, 'awaiting_approval');
    expect(await cli('inbox', 'always', (await inbox())[0]!.id)).toMatchObject({ code: 0 });
    await comesTo(third.taskId, 'completed');
    const fourth = await asked(intern, 'And the last?');
    await comesTo(fourth.taskId, 'completed');
    expect([(await words(fourth.dm)).at(-1), await inbox(), errors]).toEqual(['Response from SENIOR: And the last? Yes.', [], []]);
  });

  test('[PRV-11] the audit log in the terminal: contacts, approvals and who gave them, for owners and not for members', async () => {
    const { code, out } = await cli('audit');
    expect(code).toBe(0);
    const lines = out
      .trimEnd()
      .split('\n')
      .filter((line) => !line.startsWith('  ') && !line.includes('  Access: '));
    expect(lines.map((line) => line.replace(/^\S+ {2}/, '').replace(/tsk_\w+/, 'tsk'))).toEqual([
      'Contact between agents: ^INTERN contacted ^SENIOR (ask)  (done, approved by @ada, for @ada, tsk)',
      'Contact between agents: ^INTERN contacted ^SENIOR (ask)  (done, approved by @ada, for @ada, tsk)',
      'Approval: @ada approved contact_agent of ^INTERN  (approved, tsk)',
      'Approval: @ada denied contact_agent of ^INTERN  (denied, tsk)',
      'Contact between agents: ^INTERN contacted ^SENIOR (ask)  (done, approved by @ada, for @ada, tsk)',
      'Approval: @ada approved contact_agent of ^INTERN  (approved, tsk)',
    ]);
    const some = JSON.parse((await cli('audit', '--kind', 'approval', '--member', 'INTERN', '--last', '2', '--json')).out) as AuditPage;
    expect(some.entries.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ['approval', 'approved'],
      ['approval', 'denied'],
    ]);
    expect((await cli('audit', '--member', 'nobody')).err).toContain('There is no member @nobody.');
    expect((await cli('audit', '--since', '1h', '--kind', 'read')).out).toBe('There are no such entries in the audit log.\n');
    const mel = await kit.person('mel');
    expect(await parley(['audit'], { cwd, env: { PARLEY_URL: kit.url, PARLEY_TOKEN: mel.token } })).toMatchObject({
      code: 1,
      out: '',
    });
  });

  test('[IAC-7] [IAC-18] work that was given on and failed is shown as failed, under who gave it, and never as done', async () => {
    const held = Promise.withResolvers<void>();
    const [writer, data, analyst, slow] = [
      await agent('WRITER', (task) => task.decline('Rate limit exceeded.')),
      await agent('DATA', () => Promise.reject(new Error('the disk is full'))),
      await agent('ANALYST', () => Promise.resolve('Up by 18%.')),
      await agent('SLOW', () => held.promise),
    ];
    const told: string[] = [];
    const boss = await agent('BOSS', async (task) => {
      for (const [to, message] of [
        [writer, 'Draft the post'],
        [data, 'Pull the data'],
        [analyst, 'Look for trends'],
        [slow, 'Proofread it'],
      ] as const)
        await task.contact({ action: 'delegate', agentId: to.id, message });
      for (let n = 0; n < 4; n++) {
        await task.pause();
        told.push((await task.next('result')).text);
      }
      return 'One of four parts is here.';
    });
    const { taskId, dm } = await asked(boss, 'Prepare the report');
    await expect.poll(() => told.length).toBe(3);
    await comesTo(taskId, 'awaiting_delegation');
    const { steps } = await ada.call('getChain', { params: { chainId: (await ada.call('getTask', { params: { taskId } })).chainId } });
    const idOf = (who: Person) => steps.find((step) => !('hidden' in step) && step.agentId === who.id)!.id;
    const lines = (out: string) => out.split('\n').map((line) => line.replaceAll(/ · (?:for|took) .*/g, ''));
    const shown = lines((await cli('tasks')).out);
    expect(shown.slice(1, -1)).toEqual([
      `${taskId}: "Prepare the report" (^BOSS) — waiting for others`,
      `├── ${idOf(writer)}: "Draft the post" (^WRITER) — declined ✗`,
      `├── ${idOf(data)}: "Pull the data" (^DATA) — declined: it is blocked ✗`,
      `├── ${idOf(analyst)}: "Look for trends" (^ANALYST) — answered ✓`,
      `└── ${idOf(slow)}: "Proofread it" (^SLOW) — working`,
    ]);
    // A person stops the last one: nor is that an answer.
    expect((await cli('stop', idOf(slow))).code).toBe(0);
    await comesTo(taskId, 'completed');
    held.resolve();
    const ended = lines((await cli('tasks', '--all')).out);
    expect(ended).toContain(`└── ${idOf(slow)}: "Proofread it" (^SLOW) — stopped ✗`);
    expect(ended.filter((line) => line.includes('✓') && /WRITER|DATA|SLOW/.test(line))).toEqual([]);
    // So it was told to whoever gave it on, and stands in the conversation.
    const results = (await words(dm)).filter((body) => body!.startsWith('[Delegation'));
    expect(results.map((body) => body!.split(' | ')[0]).toSorted((a, b) => a!.localeCompare(b!))).toEqual([
      ...Array<string>(3).fill('[Delegation Failed'),
      '[Delegation Result from ANALYST',
    ]);
    expect(results).toContain(
      `[Delegation Failed | WRITER | ${idOf(writer)}]\nError: WRITER failed to complete the task: Rate limit exceeded.`,
    );
    expect(results).toContain(`[Delegation Failed | SLOW | ${idOf(slow)}]\nError: SLOW failed to complete the task: a person stopped it.`);
    expect(errors.map((error) => (error as Error).message)).toEqual(['the disk is full']);
  });
});
