import { taskText } from '@parley/core';
import { withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../program-name.ts';
import { type Output, printable } from '../output.ts';
import type { Settings } from '../settings.ts';

export async function stop(settings: Settings, typed: string | undefined, options: { everything?: true }, output: Output): Promise<void> {
  if (options.everything && typed !== undefined)
    throw new CliError('usage', 'One task or --everything: not both.', { hint: 'Nothing was stopped.' });
  if (options.everything) return stopEverything(settings, output);
  const taskId = /tsk_[0-9A-Z]{26}/.exec(typed ?? '')?.[0];
  if (taskId === undefined) {
    throw new CliError(
      'usage',
      typed === undefined ? 'Stop what? Name a task, or say --everything.' : `${typed} is not the id of a task (tsk_…).`,
      {
        hint: `\`${me} tasks\` lists what is open, with its ids.`,
      },
    );
  }
  const task = await withAccess(settings, (access) => access.call('stopTask', { params: { taskId } }));
  // Ended before it could be stopped: that is what there is to say.
  const how = task.cause === 'stopped' ? '' : ` (it had ended: ${printable(taskText(task))})`;
  output.result(task, `Stopped ${task.id}, and its sub-tasks${how}.`);
}

async function stopEverything(settings: Settings, output: Output): Promise<void> {
  const halt = await withAccess(settings, (access) => access.call('halt'));
  output.result(halt, 'Everything is stopped: no agent works or speaks, and nothing new is begun.');
  output.note(`  Open tasks stay open. Let the agents continue with: ${me} release`);
}

export async function release(settings: Settings, output: Output): Promise<void> {
  const { before, halt } = await withAccess(settings, async (access) => ({
    before: await access.call('getHalt'),
    halt: await access.call('release'),
  }));
  const said = before.halted
    ? 'Released: agents work again, and continue their open tasks.'
    : 'Nothing was stopped, so there is nothing to release.';
  output.result(halt, said);
}
