import { noTasks, wokenWords, type WokenWords, taskText } from '@parley/core';
import type { Chain, Task } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { count, type Output, applyStyle, printable } from '../output.ts';
import { foldTree } from '../fold-lines.ts';
import { me } from '../hints.ts';
import type { CommandContext, Settings } from '../settings.ts';
import { handlesOf } from './members.ts';
import { chainLines, type Names } from '../task-lines.ts';
import { CliError } from '../exit.ts';
import { showLive } from '../live-screen.ts';

interface TaskOptions {
  all?: true;
  watch?: true;
}

export async function tasks({ settings, output }: CommandContext, options: TaskOptions): Promise<void> {
  const state = options.all ? 'all' : 'open';
  await withAccess(settings, async (access) => {
    const look = async () => (await access.call('listChains', { query: { state, limit: 100 } })).chains;
    const chains = await look();
    if (!options.watch || output.json || !process.stdout.isTTY) {
      const names = output.json ? nobody : await namesFor(access, tasksOf(chains));
      const { halted } = await access.call('getHalt');
      const woken = output.json ? null : await wokenFor(access);
      output.result(
        { tasks: tasksOf(chains).filter((task) => options.all || task.endedAt === null), chains },
        [
          ...(halted ? [`${stopped}: no agent works until \`${me} release\`.`, ''] : []),
          ...lines(chains, names, state, woken).flatMap((line) => foldTree(line, process.stdout.columns || Infinity)),
        ].join('\n'),
      );
      return;
    }
    await showLive(live(access, look, state), process.stdout, process.stdin);
  });
}

const stopped = 'Everything is stopped';

const nobody: Names = { member: () => undefined, place: () => undefined };

/** Those that one may see. */
const tasksOf = (chains: readonly Chain[]): Task[] =>
  chains.flatMap(({ steps }) => steps.flatMap((step) => ('hidden' in step ? [] : step)));

/** Agents that events have woken: no task shows it yet. For one's own it is known whose approval they await. */
async function wokenFor(access: HubAccess): Promise<WokenWords | null> {
  const { agents } = await access.call('listAgents');
  if (agents.every(({ woken }) => woken === null)) return null;
  // Nothing waits for the operator of a hub, who is no member.
  const { checkpoints } = await access.call('listCheckpoints', { query: { state: 'open' } }).catch(() => ({ checkpoints: [] }));
  return wokenWords(agents, new Set(checkpoints.map(({ agentId }) => agentId)));
}

function lines(chains: readonly Chain[], names: Names, state: 'open' | 'all', woken: WokenWords | null): string[] {
  const now = Date.now();
  const first = woken === null ? [] : [woken.text, ...(woken.yours ? [`Approve or deny it with \`${me} inbox\`.`] : [])];
  const all = chains.map((chain) => chainLines(chain, names, now));
  const parts = [...(first.length === 0 ? [] : [first]), ...all];
  return parts.length === 0 ? [noTasks[state]] : parts.flatMap((part, n) => [...(n === 0 ? [] : ['']), ...part]);
}

/** A hub that is being restarted is waited for: who watches wants to see it come back. */
function live(access: HubAccess, look: () => Promise<Chain[]>, state: 'open' | 'all'): () => Promise<string[]> {
  let shown: readonly Chain[] = [];
  let names: Names = nobody;
  let woken: WokenWords | null = null;
  return async () => {
    let head = '';
    try {
      const [found, { halted }, words] = await Promise.all([look(), access.call('getHalt'), wokenFor(access)]);
      const known = new Set(tasksOf(shown).map(({ id }) => id));
      const all = tasksOf(found);
      if (all.some(({ id }) => !known.has(id))) names = await namesFor(access, all);
      [shown, woken] = [found, words];
      head = halted ? applyStyle('red', `${stopped}.`) : count(all.filter(({ endedAt }) => endedAt === null).length, 'open task');
    } catch (error) {
      if ((error as Error).name !== 'ConnectionError') throw error;
      head = applyStyle('yellow', 'The hub does not answer; trying again.');
    }
    const width = process.stdout.columns;
    return [head, '', ...lines(shown, names, state, woken).map((line) => line.slice(0, width))];
  };
}

export async function namesFor(access: HubAccess, found: readonly Task[]): Promise<Names> {
  const handles = await handlesOf(access);
  const places = new Map<string, string>();
  // What agents say among themselves is not looked at only to be named: looking is on record.
  const said = found.filter((task) => !task.addressedBy.startsWith('agent_'));
  for (const id of new Set(said.map((task) => task.conversationId))) {
    const place = await access.call('getConversation', { params: { conversationId: id } }).catch(() => undefined);
    if (place) places.set(id, place.kind === 'channel' ? `#${place.name}` : `a ${place.kind === 'dm' ? 'DM' : place.kind}`);
  }
  return { member: (id) => handles.get(id), place: (id) => places.get(id) };
}

export async function stop({ settings, output }: CommandContext, typed: string | undefined, options: { everything?: true }): Promise<void> {
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

export async function release({ settings, output }: CommandContext): Promise<void> {
  const { before, halt } = await withAccess(settings, async (access) => ({
    before: await access.call('getHalt'),
    halt: await access.call('release'),
  }));
  const said = before.halted
    ? 'Released: agents work again, and continue their open tasks.'
    : 'Nothing was stopped, so there is nothing to release.';
  output.result(halt, said);
}
