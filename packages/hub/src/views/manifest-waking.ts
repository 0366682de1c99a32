// What wakes agents that manifests have brought, in a constant number of reads however many there are.

import { asksFirst, wakingState, wokenBy } from '@parley/core';
import type { BehaviourMode } from '@parley/core';
import type { Agent, Manifest, Trigger, Waking } from '@parley/protocol';
import { inList } from '../engine/look.ts';
import { mayRun, mayUse } from '../engine/steps/triggers/triggers-in-force.ts';
import { actsOf } from '../engine/steps/invocations/acting-agent.ts';
import type { Reader } from '../store/port.ts';
import type { InvocationRow, MemberRow, ProvokeObjectRow } from '../store/tables.ts';

/** Whether what events have to do with this owner's agents is shown. */
export type SeesWaking = (ownerId: string) => boolean;

interface Brought {
  agent: MemberRow;
  manifestId: string;
  mode: BehaviourMode;
}

export async function wakingViews(reader: Reader, brought: readonly Brought[], sees: SeesWaking): Promise<Map<string, Waking>> {
  if (brought.length === 0) return new Map();
  const manifestIds = [...new Set(brought.map(({ manifestId }) => manifestId))];
  const ownerIds = [...new Set(brought.flatMap(({ agent }) => agent.owner_id ?? []))];
  const [ids, owners, naming] = [inList(manifestIds), inList(ownerIds), namesOneOf(manifestIds)];
  const told = brought.flatMap(({ agent }) => (sees(agent.owner_id ?? '') ? agent.id : []));
  const [manifests, triggers, kin, runs] = await Promise.all([
    reader.rows('provoke_objects', `where kind = 'manifest' and id in ${ids.sql}`, ids.params),
    reader.rows(
      'provoke_objects',
      `where kind = 'trigger' and enabled = 1 and removed_at is null and owner_id in ${owners.sql}${naming.sql} order by id`,
      [...owners.params, ...naming.params],
    ),
    reader.all<Pick<MemberRow, 'id' | 'owner_id' | 'handle_fold'> & { manifest_id: string }>(
      `select id, owner_id, handle_fold, manifest_id from members join agents on member_id = id
       where owner_id in ${owners.sql} and manifest_id in ${ids.sql}`,
      [...owners.params, ...ids.params],
    ),
    told.length === 0 ? [] : newestOf(reader, inList(told)),
  ]);
  const members = new Map(
    (await reader.rows('members', { id: [...new Set([...manifests.map((row) => row.owner_id), ...ownerIds])] })).map((row) => [
      row.id,
      row,
    ]),
  );
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

/** What events have these agents do now; of one that is not in it, nothing. It is in the rows, so that a restart changes nothing. */
export async function wokenOf(reader: Reader, agentIds: readonly string[]): Promise<Map<string, Agent['woken']>> {
  const list = inList(agentIds);
  const rows = await reader.all<Pick<InvocationRow, 'state'> & { agent_id: string }>(
    `select distinct agent_id, state from invocations where agent_id in ${list.sql} and state in ('running', 'awaiting_approval')`,
    list.params,
  );
  return new Map([...Map.groupBy(rows, (row) => row.agent_id)].map(([id, own]) => [id, wokenBy(own.map(({ state }) => state))]));
}

/** A condition is a step down for the store, and it goes no deeper than a thousand. */
const mostNamed = 100;

/** Of an owner's many triggers only those are read whose text names one of these; what it says exactly is looked at then. */
function namesOneOf(manifestIds: readonly string[]): { sql: string; params: string[] } {
  if (manifestIds.length > mostNamed) return { sql: '', params: [] };
  const params = manifestIds.map((id) => `%"agent":"${id.replaceAll(/[%_!]/g, '!$&')}"%`);
  return { sql: ` and (${params.map(() => "body like ? escape '!'").join(' or ')})`, params };
}

/**
 * The end of each agent's part of an index. Were it asked for those that equal an agent, a database could think that going
 * back through all agents' comes upon one soon; of one that has not run for long it does not.
 */
const newestOf = (reader: Reader, agents: ReturnType<typeof inList>): Promise<InvocationRow[]> =>
  reader.rows(
    'invocations',
    `where seq in (select (select seq from invocations where agent_id between members.id and members.id
       order by agent_id desc, seq desc limit 1) from members where id in ${agents.sql})`,
    agents.params,
  );

const lastRunView = ({ id, state, error, created_at, started_at, ended_at }: InvocationRow): Waking['lastRun'] => ({
  invocationId: id,
  state,
  at: ended_at ?? started_at ?? created_at,
  error,
});

/** Whoever looks: all of it, but what has run. */
function viewOf(
  manifestId: string,
  row: ProvokeObjectRow | undefined,
  wakes: ProvokeObjectRow[],
  mode: BehaviourMode,
  acts: boolean,
): Omit<Waking, 'lastRun'> {
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
    asks: manifest ? asksFirst(manifest, mode) : null,
    triggers: state === 'on' ? wakes.map(({ id }) => id) : [],
  };
}
