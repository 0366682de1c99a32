// References of a trigger, a manifest or a source that lead nowhere. They are reported and not refused: the target may come
// later.

import { whyApproval, idleWords, isLeftOff, nearestHandle, timeText } from '@parley/core';
import { foldHandle, type Manifest, type Source, type Trigger } from '@parley/protocol';
import { type SecretStore, SecretError } from '../agents/secrets.ts';
import { keyNameOf } from '../brains/model/provider.ts';
import { mustBePublic, PrivateTarget } from '../outbound/guarded-fetch.ts';
import { readRows } from '../engine/decision-reads.ts';
import { modeOf } from '../engine/steps/agents/agents.ts';
import { approverFor } from '../engine/steps/approvals/approvals.ts';
import { isShared, sharedName, whyNotPost } from '../engine/steps/invocations/result-deliveries.ts';
import { agentMeant, changedNames, conversationMeant } from '../engine/steps/invocations/meant-targets.ts';
import { whyIdle } from '../engine/steps/triggers/idle-triggers.ts';
import { type TooSlow, tooSlowKey } from '../engine/steps/triggers/slow-regexes.ts';
import { isUsable } from '../engine/steps/triggers/triggers-in-force.ts';
import { leaveRequestsIn } from '../engine/steps/conversations/participants.ts';
import { accessTo } from '../engine/steps/facts/conversation-access.ts';
import { keptOf } from '../engine/steps/invocations/stored-definitions.ts';
import { namedAgent, ownAgentNow } from '../engine/steps/invocations/acting-agent.ts';
import { agentOf } from '../engine/steps/tasks/tasks.ts';
import { asActor } from '../engine/steps/tasks/task-access.ts';
import type { WorkingSet } from '../engine/working-set.ts';
import type { Reader } from '../store/port.ts';
import { settingOf } from '../views/row-views.ts';
import { manifestsBeside } from '../store/reads/provoke.ts';
import type { MemberRow, ProvokeObjectRow } from '../store/tables.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { serverOf } from './attempt.ts';

/** The sources of a look: stored rows, secrets, tool servers, and whether webhooks may lead into the hub's own network. */
export interface ReferenceSources {
  store: Reader;
  keys: Pick<SecretStore, 'keyFor'>;
  tools: Pick<McpClients, 'has'>;
  privateWebhooks: boolean;
}

/** `hints`: with what may have been meant, which is looked for among more than it names: of one, and not of each in a list. */
export async function warningsOf(ground: ReferenceSources, row: ProvokeObjectRow, hints = false): Promise<string[]> {
  const { store, keys } = ground;
  const otherManifests =
    hints && row.kind === 'trigger' ? await manifestsBeside(store, (JSON.parse(row.body) as Trigger).agent) : undefined;
  const { sentences, manifest } =
    row.kind === 'trigger' || row.kind === 'manifest'
      ? await readRows(store, [], (set) => sentencesOn(row, set, otherManifests))
      : { sentences: [] };
  const secret = row.kind === 'source' ? (JSON.parse(row.body) as Source).webhook?.secret : undefined;
  return [
    ...(isLeftOff(keptOf(row)) ? ['It is off because its owner has left. Name an owner in its file.'] : []),
    ...sentences,
    ...(await slowWarnings(row, store)),
    ...(manifest ? await missingOf(manifest, ground) : []),
    ...(secret === undefined ? [] : await secretWarnings(secret, keys)),
  ];
}

/** Warnings about the current version only. */
async function slowWarnings(row: ProvokeObjectRow, store: Reader): Promise<string[]> {
  if (row.kind !== 'trigger' && row.kind !== 'absence') return [];
  const slow = await settingOf<TooSlow | undefined>(store, tooSlowKey(row), undefined);
  if (slow?.version !== row.version) return [];
  return [
    `A regex or contains took too long on an event at ${timeText(slow.at)}, and the event was not counted. Simplify it, or match a shorter text.`,
  ];
}

/** `manifest`: the one that would run, if there is one. `beside`: those that may have been meant. */
function sentencesOn(
  row: ProvokeObjectRow,
  set: WorkingSet,
  beside: readonly string[] | undefined,
): { sentences: string[]; manifest?: Manifest } {
  const owner = set.get('members', row.owner_id);
  const runs = (body: string): { sentences: string[]; manifest: Manifest } => {
    const manifest = JSON.parse(body) as Manifest;
    return { sentences: owner ? [...endsOf(manifest, owner, set), ...approvalProblems(manifest, owner, set)] : [], manifest };
  };
  if (row.kind === 'manifest') return runs(row.body);
  const { agent } = JSON.parse(row.body) as Trigger;
  const manifest = set.get('provoke_objects', 'manifest', agent);
  const why = whyIdle(manifest, row, owner, set);
  const hint = beside && why === 'no_manifest' ? meantBy(agent, row, owner, beside, set) : '';
  if (why) return { sentences: [`${idleWords(why, agent)}${hint}`] };
  return runs(manifest!.body);
}

function meantBy(
  name: string,
  trigger: ProvokeObjectRow,
  owner: MemberRow | undefined,
  beside: readonly string[],
  set: WorkingSet,
): string {
  const agent = owner && namedAgent({ id: '', handle: name }, owner, set);
  // An agent that a manifest has brought, perhaps one with this ID, is not meant.
  if (agent && agentOf(agent.id, set).manifest_id === null)
    return ` ${agent.handle} is an agent: a manifest with \`handle: ${agent.handle}\` acts as it, and is what a trigger names.`;
  const nearest = nearestManifest(name, trigger, owner, beside, set);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

/** The nearest of the manifests that the trigger could wake: a typing error does not reveal those of others. */
function nearestManifest(
  name: string,
  trigger: ProvokeObjectRow,
  owner: MemberRow | undefined,
  beside: readonly string[],
  set: WorkingSet,
): string | undefined {
  set.need(beside.map((id) => ({ table: 'provoke_objects', values: ['manifest', id] })));
  const rows = beside.flatMap((id) => set.get('provoke_objects', 'manifest', id) ?? []);
  const usable = set.each(rows, (row) => (isUsable(row, trigger, owner, set) ? [row.id] : [])).flat();
  return nearestHandle(name, new Map(usable.map((id) => [foldHandle(id), { handle: id }])));
}

/** The missing ones of the model, the tools, and the address for the result. */
async function missingOf(
  { model, tools, deliver_to: to }: Manifest,
  { keys, tools: servers, privateWebhooks }: ReferenceSources,
): Promise<string[]> {
  const names = [...new Set(tools.map(({ source }) => serverOf(source)))];
  const areConfigured = await Promise.all(names.map((name) => servers.has(name)));
  return [
    ...(await keyWarnings(model, keys)),
    ...names.filter((_, i) => !areConfigured[i]).map((name) => `There is no tool server ${name}: without its tools each attempt fails.`),
    ...(to && 'webhook' in to && !privateWebhooks ? addressWarnings(to.webhook.url) : []),
    ...(to && 'webhook' in to && to.webhook.secret !== undefined ? await secretWarnings(to.webhook.secret, keys) : []),
  ];
}

async function keyWarnings(model: Manifest['model'], keys: Pick<SecretStore, 'keyFor'>): Promise<string[]> {
  const name = model.provider === 'builtin' ? undefined : keyNameOf(model);
  const until = `the agent cannot think until an owner or admin sets it, as with \`npx parley secrets set ${name}\`.`;
  return name === undefined ? [] : secretWarnings(name, keys, `There is no key for ${name}: ${until}`);
}

/** A name is looked up when something is sent there, and not before. */
function addressWarnings(url: string): string[] {
  try {
    mustBePublic(new URL(url));
    return [];
  } catch (error) {
    if (!(error instanceof PrivateTarget)) throw error;
    return [`Its result cannot be sent: ${error.message}`];
  }
}

/** Undefined: there is none of the name, or it is yet to be made. */
const actsAs = (manifest: Manifest, owner: MemberRow, set: WorkingSet): MemberRow | undefined =>
  manifest.handle === undefined ? ownAgentNow(manifest, owner, set) : namedAgent(manifest, owner, set);

/**
 * The agent will do nothing any more; or each run needs an approval, and nobody can give it. An agent that is yet to be
 * made is its owner's.
 */
function approvalProblems(manifest: Manifest, owner: MemberRow, set: WorkingSet): string[] {
  const { id } = manifest;
  const agent = actsAs(manifest, owner, set);
  // The report on the manifest says that nobody has the name.
  if (!agent) return [];
  if (agent.status !== 'active') return [idleWords('no_agent', id)];
  const asks = whyApproval(manifest, modeOf(agent.id, set)) !== null;
  return asks && approverFor(agent.id, set) === undefined ? [idleWords('no_approver', id)] : [];
}

/** The acting agent and the result targets of a manifest, for a trigger of this owner. */
export function endsOf(manifest: Manifest, owner: MemberRow, set: WorkingSet): string[] {
  const { id, handle, deliver_to: to } = manifest;
  const names = changedNames(manifest, owner, set);
  const acts =
    handle === undefined || namedAgent(manifest, owner, set) ? names : [...names, `There is no agent ${handle} that its owner may send.`];
  if (to === undefined || 'webhook' in to) return acts;
  if ('agent' in to) {
    const target = agentMeant(id, to.agent, set);
    return target?.status === 'active' ? acts : [...acts, `There is no agent ${to.agent}.`];
  }
  const found = conversationMeant(id, to.conversation, owner, set);
  const place = found && accessTo(asActor(owner), found.id, set);
  const why = place ? whyNotPost(place, owner) : 'nowhere';
  if (place && why === undefined) {
    const agent = actsAs(manifest, owner, set);
    const isGone = agent !== undefined && leaveRequestsIn(place.conversation, set).has(agent.id);
    return isGone ? [...acts, `Its agent was asked to leave ${to.conversation}: until it is called there by name, it cannot post.`] : acts;
  }
  const words = isShared(to.conversation, owner, set)
    ? sharedName(to.conversation)
    : `There is no conversation ${to.conversation}, or its owner may not post there.`;
  return [...acts, why === 'archived' ? `The conversation ${to.conversation} is archived.` : words];
}

/** Blank is as good as not set. */
export async function secretWarnings(
  name: string,
  keys: Pick<SecretStore, 'keyFor'>,
  unset = `The secret ${name} is not set.`,
): Promise<string[]> {
  try {
    const value = (await keys.keyFor(name))?.trim() ?? '';
    return value === '' ? [unset] : [];
  } catch (error) {
    if (error instanceof SecretError) return [error.message];
    throw error;
  }
}
