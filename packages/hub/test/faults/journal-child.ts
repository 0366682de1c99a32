// A hub of its own process whose built-in agents think with a brain that takes one step of each kind, calls tools that
// write down that they were called, and stands still where it is told to, to be killed there.

import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import module from 'node:module';
import { createInterface } from 'node:readline';
import { readConfig, startHub } from '@parley/hub';
import type { Brain } from '../../src/brains/brain.ts';
import { Engine } from '../../src/engine/group.ts';
import { type Call, tools } from './journal-points.ts';

const calls = process.env['PARLEY_TEST_CALLS']!;
/** Where to stand still; empty: nowhere. */
let standAt = '';

/** Says where it is and, if it is to stand there, never comes back. */
async function reach(point: string): Promise<void> {
  if (point !== standAt) return;
  process.stdout.write(`${JSON.stringify({ at: point })}\n`);
  await new Promise<never>(() => {});
}

// Before anything is started: what an earlier hub left is taken up while this one starts.
const submit = Engine.prototype.submit;
Engine.prototype.submit = async function (this: Engine, command) {
  const point = pointOf(command as unknown as Record<string, unknown>);
  if (point === undefined) return submit.call(this, command) as never;
  await reach(`before ${point}`);
  const result = await submit.call(this, command);
  await reach(`after ${point}`);
  return result as never;
};

function pointOf({ type, n, kind }: Record<string, unknown>): string | undefined {
  if (type === 'turn.intend') return `intend ${n as number}`;
  if (type === 'turn.done') return `done ${n as number}`;
  if (type === 'turn.unknown') return 'unknown';
  return type === 'task.say' ? (kind as string) : undefined;
}

const brain: Brain = {
  turn: async (turn) => {
    const got: string[] = [];
    for (const [n, tool] of tools.entries()) {
      const step = turn.step({ kind: 'tool', input: { n }, ...tool }, async (key) => {
        const result = randomUUID();
        // The effect outside: from here on it has happened.
        appendFileSync(calls, `${JSON.stringify({ task: turn.task.id, n, key, result } satisfies Call)}\n`);
        await reach(`called ${n}`);
        return result;
      });
      got.push(
        await step.catch((error: unknown) => {
          if (/^Nobody knows whether/.test((error as Error).message)) return 'unknown';
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
  if (line.startsWith('stand ')) standAt = line.slice('stand '.length);
  if (line !== 'start') return;
  void (async () => {
    const { PARLEY_TEST_SYNC: sync, ...env } = process.env;
    const hub = await startHub(readConfig(env), { sync: sync !== 'off', brain });
    process.stdout.write(`${JSON.stringify({ url: hub.url, operatorKey: hub.dataDir.operatorKey })}\n`);
  })();
});
