import { everyMember } from '@parley/sdk/pages';
import { noTasks, wokenWords, type WokenWords } from '@parley/core';
import type { Chain, Task } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { foldTree } from '../fold-lines.ts';
import { me } from '../program-name.ts';
import { count, type Output, applyStyle } from '../output.ts';
import { showLive } from '../live-screen.ts';
import type { Settings } from '../settings.ts';
import { chainLines, type Names } from '../task-lines.ts';

export interface TaskOptions {
  all?: true;
  watch?: true;
}

export async function tasks(settings: Settings, options: TaskOptions, output: Output): Promise<void> {
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
  const { members } = await everyMember(access);
  const handles = new Map(members.map(({ id, kind, handle }) => [id, `${kind === 'agent' ? '^' : '@'}${handle}`]));
  const places = new Map<string, string>();
  // What agents say among themselves is not looked at only to be named: looking is on record.
  const said = found.filter((task) => !task.addressedBy.startsWith('agent_'));
  for (const id of new Set(said.map((task) => task.conversationId))) {
    const place = await access.call('getConversation', { params: { conversationId: id } }).catch(() => undefined);
    if (place) places.set(id, place.kind === 'channel' ? `#${place.name}` : `a ${place.kind === 'dm' ? 'DM' : place.kind}`);
  }
  return { member: (id) => handles.get(id), place: (id) => places.get(id) };
}
