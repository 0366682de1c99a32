import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CreatedToken, Explanation, Halt, Message, Task } from '@parley/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask, parley } from '../in-process.ts';
import { type RunOptions, type Running, up } from '../kit.ts';

let cwd: string;
let hub: Running;
let here: RunOptions;
let ada: RunOptions;

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'parley-cli-'));
  here = { cwd };
  hub = await up([], here);
  await ask(['member', 'add', 'ada', '--role', 'owner'], here);
  await ask(['member', 'add', 'bot', '--agent'], here);
  const { secret } = await ask<CreatedToken>(['token', 'create', '--member', 'ada', '--label', 'test'], here);
  ada = { cwd, env: { PARLEY_TOKEN: secret } };
});
afterAll(async () => {
  await hub.stop();
  await rm(cwd, { recursive: true });
});

const open = async (): Promise<Task[]> => (await ask<{ tasks: Task[] }>(['tasks'], here)).tasks;

it('[PAP-15] tasks lists what is open, stop ends it, and what is over cannot be stopped again', async () => {
  expect(await parley(['tasks'], here)).toMatchObject({ code: 0, out: 'No agent is at work.\n' });
  await ask<Message>(['send', '@bot', 'hello'], ada);
  const [task] = await open();
  expect(task).toMatchObject({ state: 'queued', agentOnline: false });
  // Not a terminal: watching comes to the same list, once.
  for (const args of [['tasks'], ['tasks', '--watch']])
    expect(await parley(args, ada)).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^@ada in a DM · 0:\d\d so far · 30:00 left, paused · 0 turns · \$0\.00\ntsk_\w+: "hello" \(\^bot\) — queued, offline · for 0:\d\d\n$/,
      ),
    });
  expect(await parley(['stop', task!.id], ada)).toMatchObject({
    code: 0,
    out: `Stopped ${task!.id}, and its sub-tasks.\n`,
  });
  expect(await open()).toEqual([]);
  expect(await parley(['tasks', '--all'], ada)).toMatchObject({
    code: 0,
    out: expect.stringMatching(/\(\^bot\) — stopped ✗ · took 0:\d\d, 0:\d\d ago/),
  });
  const again = await parley(['stop', task!.id, '--json'], ada);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(JSON.parse(again.err)).toMatchObject({ error: { code: 'task_over', exit: 1 } });
});

it('[PAP-6] [PAP-2] explain says who was woken and who was not, by an id or a link', async () => {
  const woken = await ask<Message>(['send', 'general', '^ORAC', 'what is up?'], ada);
  expect(await ask<Explanation>(['explain', woken.id], ada)).toMatchObject({
    agents: [
      { handle: 'ORAC', policy: 'must_respond', reason: 'mention' },
      { handle: 'STEF', policy: 'must_not_respond' },
    ],
  });
  const words = await parley(['explain', `${hub.url}/c/${woken.conversationId}/m/${woken.id}`], here);
  expect(words).toMatchObject({ code: 0, out: expect.stringMatching(/\^ORAC +woken .*tsk_.*\n\^STEF +quiet /) });
  expect(words.out).toMatch(/^The floor was polite; version 1 of the rules decided\.\n\^ORAC.* must_respond buffered mention: /);
  expect(words.out).toMatch(/\^STEF.* must_not_respond tool_mailbox addressed_to_others: .* Not allowed to answer\./);
  expect(words.out).not.toContain('Would now');
  expect((await parley(['explain', woken.id, '--would-now'], ada)).out).toMatch(/Would now \(the floor is polite, version 1/);
  const unknown = await ask<Message>(['send', 'general', '^ORCA hello'], ada);
  expect(await parley(['explain', unknown.id], ada)).toMatchObject({ code: 0, out: expect.stringContaining('Did you mean ^ORAC?') });
});

it('[PAP-6] send and explain name an agent that was called and is not in the channel', async () => {
  const missing = '^bot was not in this conversation and did not get this.\n';
  const sent = await parley(['send', 'general', '^bot what is up?'], ada);
  expect(sent).toMatchObject({ code: 0, err: expect.stringContaining(missing) });
  const id = /msg_\w+/.exec(sent.out)![0];
  expect((await parley(['send', 'general', '^NOBODY hi'], ada)).err).toContain(
    'Nobody here is called ^NOBODY, so that name reached nobody.\n',
  );
  expect(await parley(['send', '@ada', 'hi'], ada)).toMatchObject({
    code: 2,
    err: expect.stringContaining('<to> must be somebody besides you'),
  });
  for (const who of [ada, here]) expect((await parley(['explain', id], who)).out).toContain(missing);
  expect((await parley(['send', 'general', 'soup again'], ada)).err).toContain(
    'Nobody was woken; 2 agents stayed quiet. Call one with ^ and its name.\n',
  );
  expect((await parley(['send', 'general', '^ORAC who is here?'], ada)).err).toBe('');
});

it('[C2A-31] owed lists the agents that wait for a reply, and how to give it', async () => {
  expect((await parley(['owed'], ada)).out).toBe('You owe nothing, and wait for nobody.\n');
  const { conversationId } = await ask<Message>(['send', 'general', '^ORAC find'], ada);
  await expect
    .poll(async () => (await parley(['owed'], ada)).out)
    .toMatch(/^Agents wait for your reply\nAGENT .*\n\^ORAC +0 min +tsk_\w+ /);
  expect((await parley(['owed'], ada)).out).toContain(`parley send ${conversationId} <your answer>`);
  await ask<Message>(['send', conversationId, 'soup'], ada);
  await expect.poll(async () => (await parley(['owed'], ada)).out).toBe('You owe nothing, and wait for nobody.\n');
});

it('[SYS-10] stop --everything holds every agent until release', async () => {
  // Agents may still be at work on what they were asked above.
  await expect.poll(open).toEqual([]);
  expect(await ask<Halt>(['stop', '--everything'], ada)).toMatchObject({ halted: true });
  await ask<Message>(['send', 'general', '^ORAC are you there?'], ada);
  expect(await open()).toMatchObject([{ state: 'queued' }]);
  const stopped = /^Everything is stopped: no agent works until `npx parley release`\.\n\n@ada in #general/;
  expect((await parley(['tasks'], ada)).out).toMatch(stopped);
  expect(await parley(['release'], ada)).toMatchObject({ code: 0, out: expect.stringContaining('agents work again') });
  expect(await parley(['release'], ada)).toMatchObject({ code: 0, out: 'Nothing was stopped, so there is nothing to release.\n' });
  await expect.poll(open).toEqual([]);
});

it.each([
  [['explain', 'x'], 2, /x is neither the id of a message/],
  [['explain', 'inv_1'], 2, /`npx parley invocations show inv_1` says/],
  [['explain', 'msg_00000000000000000000000000'], 3, /There is no message msg_0{26}, or you may not see it\./],
  [['stop'], 2, /Stop what\? .*\n.*`npx parley tasks`/],
  [['stop', 'x'], 2, /x is not the id of a task/],
  [['stop', 'tsk_00000000000000000000000000'], 3, /Not found, or you may not see it/],
  [['stop', 'tsk_00000000000000000000000000', '--everything'], 2, /not both/],
])('parley %j: exit %i', async (args, code, words) => {
  expect(await parley(args, here)).toMatchObject({ code, out: '', err: expect.stringMatching(words) });
});

it('[C2A-7] digest says how often an agent is told in sum; off is off, and what is no time is refused', async () => {
  const every = async (args: string[]) => parley(['digest', '^STEF', '#general', ...args], ada);
  expect(await every(['1h'])).toMatchObject({ code: 0, out: '^STEF gets a digest of #general every 1h.\n' });
  expect(await ask(['digest', 'STEF', 'general', '15m'], ada)).toMatchObject({ everyMs: 900_000 });
  expect(await every(['off'])).toMatchObject({ code: 0, out: '^STEF gets no digest of #general.\n' });
  expect(await every(['soon'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('every soon is not a time') });
  expect(await every(['4m'])).toMatchObject({ code: 2, out: '', err: expect.stringContaining('every 5 minutes at most') });
  expect(await parley(['digest', '^STEF', '#general', '1h'], here)).toMatchObject({ code: 2, err: expect.stringContaining('con_') });
});

it('[C2A-6] explain says where an agent finds what was not put before it', async () => {
  const said = await ask<Message>(['send', 'general', 'soup today'], ada);
  expect((await parley(['explain', said.id], ada)).out).toMatch(/\^ORAC.* tool_mailbox ambient: .* It is in its mailbox\.\n/);
});
