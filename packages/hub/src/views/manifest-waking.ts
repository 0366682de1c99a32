// The triggers that wake agents of manifests, in a constant number of reads for any number of agents.

import { whyApproval, wakingState, wokenStatus, type BehaviourMode } from '@parley/core';
import type { Agent, Manifest, Trigger, ManifestWaking } from '@parley/protocol';
import { mayRun, mayUse } from '../engine/steps/triggers/triggers-in-force.ts';
import { actsOf } from '../engine/steps/invocations/acting-agent.ts';
import type { Reader } from '../store/port.ts';
import { agentsOfManifests } from '../store/reads/members.ts';
import { liveInvocationStates, newestInvocations, triggersNaming } from '../store/reads/provoke.ts';
import { wordOf } from '../store/stored-values.ts';
import type { InvocationRow, MemberRow, ProvokeObjectRow } from '../store/tables.ts';

/** Whether the caller may see the events of this owner's agents. */
export type WakingVisibility = (ownerId: string) => boolean;

interface Brought {
  agent: MemberRow;
  manifestId: string;
  mode: BehaviourMode;
}

export async function wakingViews(reader: Reader, brought: Brought[], sees: WakingVisibility): Promise<Map<string, ManifestWaking>> {
  if (brought.length === 0) return new Map();
  const manifestIds = [...new Set(brought.map(({ manifestId }) => manifestId))];
  const ownerIds = [...new Set(brought.flatMap(({ agent }) => agent.owner_id ?? []))];
  const visibleAgentIds = brought.flatMap(({ agent }) => (sees(agent.owner_id ?? '') ? agent.id : []));
  const [manifests, triggers, kin, runs] = await Promise.all([
    reader.rows('provoke_objects', { kind: 'manifest', id: manifestIds }),
    triggersNaming(reader, ownerIds, manifestIds),
    agentsOfManifests(reader, ownerIds, manifestIds),
    visibleAgentIds.length === 0 ? [] : newestInvocations(reader, visibleAgentIds),
  ]);
  const owners = await reader.rows('members', { id: [...new Set([...manifests.map((row) => row.owner_id), ...ownerIds])] });
  const members = new Map(owners.map((row) => [row.id, row]));
  const runOf = new Map(runs.map((row) => [row.agent_id, lastRunView(row)]));
  const manifestOf = new Map(manifests.map((row) => [row.id, row]));
  const waking = Map.groupBy(triggers, (row) => (JSON.parse(row.body) as Trigger).agent);
  return new Map(
    brought.map(({ agent, manifestId, mode }) => {
      const row = manifestOf.get(manifestId);
      const owner = members.get(agent.owner_id ?? '');
      // An agent of its own acts for triggers of its owner, and for no others.
      const own = (waking.get(manifestId) ?? []).filter((one) => one.owner_id === owner?.id);
      const same = kin.filter((one) => one.manifest_id === manifestId && one.owner_id === agent.owner_id);
      const acts = actsOf(manifestId, same)?.id === agent.id;
      const wakes = row && owner && mayRun(owner) ? own.filter((one) => mayUse(row, members.get(row.owner_id), one, owner)) : [];
      const view = viewOf(manifestId, row, wakes, mode, acts);
      const seen = { model: row && sees(row.owner_id) ? view.model : null, triggers: sees(agent.owner_id ?? '') ? view.triggers : null };
      return [agent.id, { ...view, ...seen, lastRun: runOf.get(agent.id) ?? null }];
    }),
  );
}

/** The event work of these agents now; an agent without any is left out. It is in the rows, so that a restart changes nothing. */
export async function wokenOf(reader: Reader, agentIds: readonly string[]): Promise<Map<string, Agent['woken']>> {
  const rows = await liveInvocationStates(reader, agentIds);
  return new Map(
    [...Map.groupBy(rows, (row) => row.agent_id)].map(([id, own]) => [id, wokenStatus(own.map(({ state }) => wordOf(state)))]),
  );
}

const lastRunView = ({ id, state, error, created_at, started_at, ended_at }: InvocationRow): ManifestWaking['lastRun'] => ({
  invocationId: id,
  state: wordOf(state),
  at: ended_at ?? started_at ?? created_at,
  error,
});

/** Every reader sees all of it except the runs. */
function viewOf(
  manifestId: string,
  row: ProvokeObjectRow | undefined,
  wakes: ProvokeObjectRow[],
  mode: BehaviourMode,
  acts: boolean,
): Omit<ManifestWaking, 'lastRun'> {
  const manifest = row && (JSON.parse(row.body) as Manifest);
  const bringing = manifest && {
    removed: row.removed_at !== null,
    enabled: row.enabled === 1,
    elsewhere: manifest.handle !== undefined || !acts,
  };
  const state = wakingState(bringing, wakes.length);
  const model = manifest && manifest.model.provider !== 'builtin' ? manifest.model : undefined;
  return {
    manifestId,
    version: row?.version ?? null,
    state,
    thinks: model ? 'model' : 'plain',
    model: model ? `${model.model_id} (${model.provider})` : null,
    asks: manifest ? whyApproval(manifest, mode) : null,
    triggers: state === 'on' ? wakes.map(({ id }) => id) : [],
  };
}
