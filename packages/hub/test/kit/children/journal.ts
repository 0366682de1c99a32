// A hub of its own process whose built-in agents think with a brain that takes one step of each kind, calls tools that
// write down that they were called, and stands still where it is told to, to be killed there.

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import module from 'node:module';
import { createInterface } from 'node:readline';
import { readConfig, startHub } from '@parley/hub';
import { type Brain, UnknownOutcome } from '../../../src/brains/brain.ts';
import type { Command } from '../../../src/engine/command.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { type Call, tools } from './journal-points.ts';

const calls = process.env['PARLEY_TEST_CALLS']!;
/** How many hubs were killed before this one: which of its points a turn is to stand at. */
let killed = 0;
const standing = new Map<string, string | undefined>();

/** Says where it is and, if this turn is to stand there, never comes back. */
async function reach(taskId: string, point: string): Promise<void> {
  if (standing.get(taskId) !== point) return;
  process.stdout.write(`${JSON.stringify({ at: point, task: taskId })}\n`);
  await new Promise<never>(() => {});
}

// Before anything is started: what an earlier hub left is taken up while this one starts.
// oxlint-disable-next-line typescript/unbound-method -- called with its own engine below
const submit = Engine.prototype.submit;
Engine.prototype.submit = async function (this: Engine, command) {
  const point = pointOf(command);
  if (point === undefined) return submit.call(this, command) as never;
  const { taskId } = command as { taskId: string };
  await reach(taskId, `before ${point}`);
  const result = await submit.call(this, command);
  await reach(taskId, `after ${point}`);
  return result as never;
};

function pointOf(command: Command): string | undefined {
  switch (command.type) {
    case 'turn.intend':
      return stepAt(command.n, 'intend');
    case 'turn.done':
      return stepAt(command.n, 'done');
    case 'turn.unknown':
      return 'unknown';
    case 'task.say':
      return command.kind;
    default:
      return undefined;
  }
}

/** What the turn is given is its first step, before it can be told where to stand; its own steps come after that. */
function stepAt(n: number, entry: 'intend' | 'done'): string | undefined {
  if (n === 0) return undefined;
  return n > tools.length ? `${entry} word` : `${entry} ${n - 1}`;
}

const brain: Brain = {
  turn: async (turn) => {
    // What it is asked is where it is to be killed, kill after kill.
    const kills = JSON.parse(turn.words[0]!.text.replace('^ORAC ', '')) as string[];
    standing.set(turn.task.id, kills[killed]);
    const got: string[] = [];
    for (const [n, tool] of tools.entries()) {
      const step = turn.step({ kind: 'tool', input: { n }, ...tool }, async (key) => {
        const result = randomUUID();
        // The effect outside: from here on it has happened.
        appendFileSync(calls, `${JSON.stringify({ task: turn.task.id, n, key, result } satisfies Call)}\n`);
        await reach(turn.task.id, `called ${n}`);
        return result;
      });
      got.push(
        await step.catch((error: unknown) => {
          if (error instanceof UnknownOutcome) return 'unknown';
          throw error;
        }),
      );
    }
    await turn.say(`Nearly: ${got.length}`);
    return { kind: 'answer', text: JSON.stringify(got) };
  },
};

module.flushCompileCache();
process.stdin.on('end', () => process.exit());
createInterface(process.stdin).on('line', (line) => {
  if (line.startsWith('killed ')) killed = Number(line.slice('killed '.length));
  if (line !== 'start') return;
  void (async () => {
    const { PARLEY_TEST_SYNC: sync, ...env } = process.env;
    const hub = await startHub(readConfig(env), { sync: sync !== 'off', brain });
    process.stdout.write(`${JSON.stringify({ url: hub.url, operatorKey: hub.dataDir.operatorKey })}\n`);
  })();
});
