// A hub of its own process that stands still where it is told to, to be killed there, and whose clock can be put forward.

import module from 'node:module';
import { createInterface } from 'node:readline';
import { type Clock, type Hub, readConfig, startHub } from '@parley/hub';
import type { Command } from '../../../src/engine/command.ts';
import { Engine } from '../../../src/engine/engine.ts';

/** `during`: it says where it is and goes on, so that the kill falls where it falls. */
type When = 'before' | 'during' | 'after';
let standing: { when: When; what: string } | undefined;
let skipped = 0;
let hub: Hub | undefined;

const clock: Clock = {
  now: () => Date.now() + skipped,
  mono: () => performance.now() + skipped,
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** What of all that is asked of the engine one can be told to stand at. */
async function nameOf(command: Command): Promise<string | undefined> {
  if (command.type === 'task.begin') return 'memberId' in command.by ? 'claim' : undefined;
  if (command.type === 'task.say') return command.kind;
  if (command.type === 'contact.start') return command.action;
  if (command.type === 'agent.ack') return `ack:${command.agentId ?? ''}`;
  if (command.type === 'checkpoint.close') return command.type;
  if (command.type === 'invocation.intend') return `intend-${command.kind}`;
  if (command.type === 'invocation.done') return command.spent ? 'done-model' : 'done-tool';
  if (command.type === 'event.accept' || command.type === 'invocation.begin' || command.type === 'invocation.end') return command.type;
  if (command.type !== 'timer.fire' || !hub) return undefined;
  const [timer] = await hub.kernel.store.rows('timers', 'where id = ?', [command.timerId]);
  return timer?.kind;
}

const say = (said: object): unknown => process.stdout.write(`${JSON.stringify(said)}\n`);

// oxlint-disable-next-line typescript/unbound-method -- called with its own engine below
const submit = Engine.prototype.submit;
Engine.prototype.submit = async function (this: Engine, command) {
  const stand = standing;
  if (!stand || (await nameOf(command)) !== stand.what) return submit.call(this, command) as never;
  standing = undefined;
  const forEver = new Promise<never>(() => {});
  if (stand.when !== 'after') say({ at: stand });
  if (stand.when === 'before') return forEver;
  const result = await submit.call(this, command);
  if (stand.when === 'after') {
    say({ at: stand });
    return forEver;
  }
  return result as never;
};

module.flushCompileCache();
process.stdin.on('end', () => process.exit());
createInterface(process.stdin).on('line', (line) => {
  const [order, first, second] = line.split(' ');
  if (order === 'stand') {
    // What was loaded since it started is not lost with it.
    module.flushCompileCache();
    standing = { when: first as When, what: second! };
    say({ told: standing });
  }
  if (order === 'skip') {
    skipped += Number(first);
    hub?.kernel.timers.wake();
  }
  if (order !== 'start') return;
  void (async () => {
    const { PARLEY_TEST_SYNC: sync, ...env } = process.env;
    hub = await startHub(readConfig(env), { sync: sync !== 'off', clock });
    say({ url: hub.url, operatorKey: hub.dataDir.operatorKey });
  })();
});
