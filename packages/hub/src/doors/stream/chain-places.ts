// Where a chain's steps are, and who is there.

import { isAgentDm, type MemberFacts } from '@parley/core';
import { memberFacts } from '../../engine/command.ts';
import { inList } from '../../engine/look.ts';
import type { Reader } from '../../store/port.ts';

interface ChainPlace {
  chainId: string;
  /** A thread's is the conversation it hangs in. */
  place: {
    id: string;
    kind: 'channel' | 'dm' | 'thread';
    visibility: 'public' | 'private';
    history: 'all' | 'joined';
    /** Of a DM in which there are only agents: who they are. */
    agents: MemberFacts[];
  };
  /** The latest of its steps there. */
  lastSeq: number;
}

export async function placesOfChains(reader: Reader, chainIds: string[]): Promise<ChainPlace[]> {
  const list = inList(chainIds);
  const found = await reader.all<Omit<ChainPlace['place'], 'agents'> & { chain: string; dm_key: string | null; seq: number }>(
    `select t.chain_id as chain, h.id as id, h.kind as kind, h.visibility as visibility, h.history as history, h.dm_key as dm_key,
       max(t.seq) as seq
     from tasks t join conversations c on c.id = t.conversation_id join conversations h on h.id = coalesce(c.parent_id, c.id)
     where t.chain_id in ${list.sql} group by t.chain_id, h.id, h.kind, h.visibility, h.history, h.dm_key`,
    list.params,
  );
  const ids = [...new Set(found.flatMap(({ dm_key }) => dm_key?.split(',') ?? []))];
  const { rows } = ids.length === 0 ? { rows: [] } : await reader.intact('members', { id: ids });
  const members = new Map(rows.map((row) => [row.id, memberFacts(row)]));
  return found.map(({ chain, seq, dm_key, ...place }) => {
    const inside = dm_key?.split(',').flatMap((id) => members.get(id) ?? []) ?? [];
    return { chainId: chain, lastSeq: seq, place: { ...place, agents: isAgentDm(inside) ? inside : [] } };
  });
}
