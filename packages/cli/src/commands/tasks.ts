import type { Task } from '@parley/protocol';
import { type Access, withAccess } from '../access.ts';
import { count, type Output, styled, table } from '../output.ts';
import { watch } from '../screen.ts';
import type { Settings } from '../settings.ts';
import { type Names, taskTree, treeHead } from '../task-tree.ts';

export interface TaskOptions {
  all?: true;
  watch?: true;
}

export async function tasks(settings: Settings, options: TaskOptions, output: Output): Promise<void> {
  const state = options.all ? 'all' : 'open';
  await withAccess(settings, async (access) => {
    const look = async () => (await access.call('listTasks', { query: { state, limit: 200 } })).tasks;
    const found = await look();
    if (!options.watch || output.json || !process.stdout.isTTY) {
      const names = output.json ? nobody : await namesFor(access, found);
      output.result({ tasks: found }, lines(found, names, state).join('\n'));
      return;
    }
    await watch(live(access, look, state), process.stdout, process.stdin);
  });
}

const nobody: Names = { member: () => undefined, place: () => undefined };

function lines(found: readonly Task[], names: Names, state: 'open' | 'all'): string[] {
  if (found.length === 0) return [state === 'open' ? 'Nothing is being worked on.' : 'Nobody was asked for anything yet.'];
  const rows = taskTree(found, names, Date.now());
  // The operator is in no conversation, and does not know them by name.
  const told = treeHead.map((_, column) => rows.some((row) => row[column] !== ''));
  const kept = (row: string[]): string[] => row.filter((_cell, column) => told[column]);
  return table(kept(treeHead), rows.map(kept)).split('\n');
}

/** A hub that is being restarted is waited for: who watches wants to see it come back. */
function live(access: Access, look: () => Promise<Task[]>, state: 'open' | 'all'): () => Promise<string[]> {
  let shown: readonly Task[] = [];
  let names: Names = nobody;
  return async () => {
    let head = '';
    try {
      const [found, { halted }] = await Promise.all([look(), access.call('getHalt')]);
      if (found.some(({ id }) => !shown.some((task) => task.id === id))) names = await namesFor(access, found);
      shown = found;
      head = halted ? styled('red', 'Everything is stopped.') : count(found.filter(({ endedAt }) => endedAt === null).length, 'open task');
    } catch (error) {
      if ((error as Error).name !== 'ConnectionError') throw error;
      head = styled('yellow', 'The hub does not answer; trying again.');
    }
    const width = process.stdout.columns;
    return [head, '', ...lines(shown, names, state).map((line) => (line.includes('\u001B') ? line : line.slice(0, width)))];
  };
}

export async function namesFor(access: Access, found: readonly Task[]): Promise<Names> {
  const { members } = await access.call('listMembers');
  const handles = new Map(members.map(({ id, kind, handle }) => [id, `${kind === 'agent' ? '^' : '@'}${handle}`]));
  const places = new Map<string, string>();
  for (const id of new Set(found.map((task) => task.conversationId))) {
    const place = await access.call('getConversation', { params: { conversationId: id } }).catch(() => undefined);
    if (place) places.set(id, place.kind === 'channel' ? `#${place.name}` : `a ${place.kind === 'dm' ? 'DM' : place.kind}`);
  }
  return { member: (id) => handles.get(id), place: (id) => places.get(id) };
}
