// Does the example do what it says? Starts a hub and the agent, kills first the one and then the other in the middle of
// a task, redirects a third, and looks at what was said: every word once, and one answer.

import { everyMember } from '@parley/sdk/pages';
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Client, createClient } from '@parley/sdk';

const launcher = fileURLToPath(new URL('../../packages/cli/bin/parley.mjs', import.meta.url));
const example = fileURLToPath(new URL('./agent.ts', import.meta.url));
const data = await mkdtemp(join(tmpdir(), 'parley-example-'));
const env = {
  ...process.env,
  PARLEY_DATA: data,
  PARLEY_TOKEN: undefined,
  PARLEY_URL: undefined,
  PARLEY_DATABASE_URL: undefined,
  PARLEY_COMPOSE_MS: '0',
};
const running = new Set<ChildProcess>();

/** Resolves when it has printed something that fits. */
async function start(args: string[], more: Record<string, string>, sign: RegExp): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['--no-warnings', ...args], { env: { ...env, ...more }, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  let said = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      said += String(chunk);
      if (sign.test(said)) resolve();
    });
    child.once('exit', () => reject(new Error(`${args[0]} ended before it was up`)));
  });
  return { child, said };
}

async function kill(child: ChildProcess): Promise<void> {
  running.delete(child);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function parley(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [launcher, ...args], { env });
  return stdout.trim();
}

const startHub = async (port: string) => {
  const { child, said } = await start([launcher, 'up', '--json', '--port', port], {}, /\n/);
  return { child, url: (JSON.parse(said) as { url: string }).url };
};
const startAgent = (url: string, token: string) => start([example], { PARLEY_URL: url, PARLEY_TOKEN: token }, /^live$/m);

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 50))) {
    // A hub that is being started again does not answer.
    const found = await look().catch(() => undefined);
    if (found !== undefined) return found;
  }
  throw new Error('It did not happen within a minute');
}

/** Asks, does something once `middle` was said, and returns what was said in the task. */
async function ask(ann: Client, conversationId: string, text: string, inTheMiddle: () => Promise<void>, middle = '3…'): Promise<string[]> {
  const asked = await ann.call('postMessage', { params: { conversationId }, body: { body: text } });
  const said = async () => {
    const { messages } = await ann.call('listMessages', { params: { conversationId }, query: { after: asked.seq } });
    return messages.map(({ body }) => body ?? '');
  };
  await until(async () => ((await said()).includes(middle) ? true : undefined));
  await inTheMiddle();
  await until(async () => ((await said()).includes('Lift-off.') ? true : undefined));
  // Long enough for a second answer, if there were one.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return said();
}

try {
  let hub = await startHub('0');
  const { url } = hub;
  await parley('member', 'add', 'ann', '--role', 'owner');
  await parley('member', 'add', 'COUNT', '--agent');
  const ann = createClient({ baseUrl: url, token: await parley('token', 'create', '--member', 'ann', '--label', 'check') });
  const token = await parley('token', 'create', '--member', 'COUNT', '--label', 'check');
  let agent = await startAgent(url, token);
  const { conversations } = await ann.call('listConversations', { query: {} });
  const general = conversations.find(({ name }) => name === 'general')!.id;
  const count = (await everyMember(ann)).members.find(({ handle }) => handle === 'COUNT')!;
  await ann.call('addToConversation', { params: { conversationId: general }, body: { memberId: count.id } });
  const counted = ['4…', '3…', '2…', '1…', 'Lift-off.'];

  const overHub = await ask(ann, general, '^COUNT 4 please', async () => {
    await kill(hub.child);
    hub = await startHub(new URL(url).port);
  });
  assert.deepEqual(overHub, counted, 'The hub was killed in the middle of the task');

  const overAgent = await ask(ann, general, '^COUNT 4 again', async () => {
    await kill(agent.child);
    agent = await startAgent(url, token);
  });
  assert.deepEqual(overAgent, counted, 'The agent was killed in the middle of the task');

  const instruction = 'count from 4 instead.';
  const redirected = await ask(
    ann,
    general,
    '^COUNT 25 now',
    async () => {
      const { tasks: open } = await ann.call('listTasks', { query: {} });
      await ann.call('redirectTask', { params: { taskId: open[0]!.id }, body: { instruction } });
    },
    '18…',
  );
  assert.deepEqual(redirected.slice(0, 4), ['I count from at most 20.', '20…', '19…', '18…'], 'More than the maximum');
  assert.deepEqual(
    redirected.slice(redirected.indexOf(instruction) + 1),
    ['Count 2: 4…', 'Count 2: 3…', 'Count 2: 2…', 'Count 2: 1…', 'Lift-off.'],
    'The agent was redirected in the middle of the task',
  );

  const { tasks } = await ann.call('listTasks', { query: { state: 'all' } });
  assert.deepEqual(
    tasks.map(({ state, cause }) => [state, cause]),
    [
      ['completed', 'answered'],
      ['completed', 'answered'],
      ['completed', 'answered'],
    ],
  );
  console.log('The hub was killed in the middle of a task, and the agent of another: each was answered once.');
  console.log('A redirect started the count again.');
} finally {
  for (const child of running) await kill(child);
  await rm(data, { recursive: true, force: true });
}
