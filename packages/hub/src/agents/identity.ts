// An agent as its brain, its tools and its owner see it.

import type { AgentIdentity, FolderProblem, Identity, IdentityVersion } from '@parley/protocol';
import { blankIdentity, madeOf, wholeOf } from '../engine/steps/membership/agent-identities.ts';
import type { Reader } from '../store/port.ts';
import type { IdentityVersionRow, MemberRow } from '../store/tables.ts';

/** The identity that an agent runs with. Version 0 means that nobody has written one yet. */
export interface RunIdentity extends Pick<Identity, 'mode' | 'instructions' | 'memory' | 'tools' | 'brain'> {
  version: number;
}

export async function identityOf(store: Reader, agentId: string): Promise<RunIdentity> {
  const [[row], [agent]] = await Promise.all([
    store.rows('identities', { agent_id: agentId }),
    store.rows('agents', { member_id: agentId }),
  ]);
  return row
    ? { version: row.version, mode: row.mode, ...madeOf(row) }
    : { version: 0, mode: 'autonomous', ...blankIdentity(agent?.brain ?? 'remote') };
}

export async function identityView(store: Reader, member: MemberRow, problems: readonly FolderProblem[] = []): Promise<AgentIdentity> {
  const [row] = await store.rows('identities', { agent_id: member.id });
  const { version, ...known } = await identityOf(store, member.id);
  const manager = await handlesOf(store, [member.manager_id]);
  return {
    agentId: member.id,
    version,
    source: row?.source ?? 'api',
    at: row?.at ?? null,
    identity: {
      profile: { handle: member.handle, displayName: member.display_name, about: member.about },
      ...known,
      manager: manager.get(member.manager_id) ?? null,
    },
    problems: [...problems],
  };
}

export async function versionViews(store: Reader, rows: readonly IdentityVersionRow[]): Promise<IdentityVersion[]> {
  const wholes = rows.map((row) => ({ row, ...wholeOf(row) }));
  const managers = await handlesOf(
    store,
    wholes.map(({ managerId }) => managerId),
  );
  return wholes.map(({ row, managerId, ...identity }) => ({
    version: row.version,
    at: row.at,
    changedBy: row.changed_by,
    identity: { ...identity, manager: managers.get(managerId) ?? null },
  }));
}

/** Members who left are missing in the result. */
async function handlesOf(store: Reader, ids: readonly (string | null)[]): Promise<Map<string | null, string>> {
  const handles = new Map<string | null, string>();
  for (const id of new Set(ids.flatMap((one) => one ?? []))) {
    const [member] = await store.rows('members', { id, status: { '<>': 'erased' } });
    if (member) handles.set(id, member.handle);
  }
  return handles;
}
