// The conversations of a chain's steps, and their members.

import { isAgentDm, type MemberFacts } from '@parley/core';
import { memberFacts } from '../../engine/command.ts';
import type { Reader } from '../../store/port.ts';
import { homesOfChains, runningTools } from '../../store/reads/tasks.ts';

interface ChainPlace {
  chainId: string;
  /** A thread's is the conversation it hangs in. */
  place: {
    id: string;
    kind: 'channel' | 'dm' | 'thread';
    visibility: 'public' | 'private';
    history: 'all' | 'joined';
    /** The members of a DM between agents only. */
    agents: MemberFacts[];
  };
  /** The latest of its steps there. */
  lastSeq: number;
}

export async function placesOfChains(reader: Reader, chainIds: string[]): Promise<ChainPlace[]> {
  const found = await homesOfChains(reader, chainIds);
  const ids = [...new Set(found.flatMap(({ dm_key }) => dm_key?.split(',') ?? []))];
  const rows = ids.length === 0 ? [] : await reader.rows('members', { id: ids });
  const members = new Map(rows.map((row) => [row.id, memberFacts(row)]));
  return found.map(({ chain, seq, dm_key, ...place }) => {
    const inside = dm_key?.split(',').flatMap((id) => members.get(id) ?? []) ?? [];
    return { chainId: chain, lastSeq: seq, place: { ...place, agents: isAgentDm(inside) ? inside : [] } };
  });
}

// Which tools agents are using now, by name: read from the journals of running turns, so that every hub and every page that
// opens in the middle of a call knows it.

export interface ToolsInUse {
  taskId: string;
  /** The conversation it is in, or its thread hangs in. */
  home: string;
  /** Members who joined later may read earlier messages. */
  isOpenHistory: boolean;
  taskSeq: number;
  tools: string[];
  since: number;
}

/** The tools in use by these tasks, or by every active task of these conversations. Tasks that use none are left out. */
export async function toolsInUse(reader: Reader, of: { taskIds: string[] } | { homes: string[] }): Promise<ToolsInUse[]> {
  const rows = await runningTools(reader, of);
  return [...Map.groupBy(rows, ({ task }) => task)].map(([taskId, [first, ...rest]]) => ({
    taskId,
    home: first!.home,
    isOpenHistory: first!.history === 'all',
    taskSeq: first!.seq,
    tools: [...new Set([first!, ...rest].map(({ name }) => name))],
    since: first!.at,
  }));
}
