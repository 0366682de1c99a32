// Store, engine and what runs beside it, without any door. The hub puts doors on it; the command line uses it bare
// when no hub is running.

import { randomBytes } from 'node:crypto';
import { rulesVersion } from '@parley/core';
import { type Manifest, ParleyError, type PeerHost } from '@parley/protocol';
import { AgentFolders } from './agents/agent-folders.ts';
import { unsealSecret, SecretStore } from './agents/secrets.ts';
import { type Clock, systemClock } from './clock.ts';
import { type DataDir, makeFolders } from './data-dir.ts';
import type { Brain, ToolsFor } from './brains/brain.ts';
import { builtinBrain } from './brains/builtin/brain.ts';
import { ModelBrain } from './brains/model/brain.ts';
import { demoBrain } from './demo/brain.ts';
import { Story } from './demo/story.ts';
import { contactAgent } from './tools/contact-calls.ts';
import { Auth } from './engine/auth.ts';
import { type Handlers, platform } from './engine/command.ts';
import { eraseAll } from './engine/purge.ts';
import { Engine, type EngineOptions } from './engine/engine.ts';
import { handlers } from './engine/handlers.ts';
import { Ids } from './engine/ids.ts';
import { type WorkLimits, workLimits } from './engine/limits.ts';
import { Indexer } from './engine/indexer.ts';
import { EffectOutbox } from './engine/outbox.ts';
import { ReconnectingAgents } from './engine/reconnecting-agents.ts';
import { namesTargets } from './engine/steps/invocations/meant-targets.ts';
import { bodyOf } from './engine/steps/invocations/stored-definitions.ts';
import type { DraftRequest } from './engine/steps/tasks/floor-check.ts';
import { Tail } from './engine/tail.ts';
import { HeadKeeper, type Loss, settleLoss } from './backup/chain-heads.ts';
import { Timers } from './engine/timers.ts';
import { Blobs } from './store/blobs.ts';
import { type AdmitDatabase, LostFactsError, type Store, StoreAwayError } from './store/port.ts';
import { namesToKeep } from './store/reads/conversations.ts';
import { handlesToIndex } from './store/reads/members.ts';
import { manifestsToPin } from './store/reads/provoke.ts';
import { SqliteStore } from './store/sqlite/store.ts';
import type { SecretRow } from './store/tables.ts';
import type { ToolHub } from './tools/tool-caller.ts';
import { ToolCalls } from './tools/socket-calls.ts';
import { McpClients } from './tools/mcp-clients.ts';
import { toolsFor } from './tools/tools-for.ts';
import type { PeerModelSettings } from './peers/hub-models.ts';
import { PeerModels } from './peers/peer-models.ts';
import { Peers } from './peers/peers.ts';
import { requestLinkPerformers } from './peers/request-links.ts';
import { negotiate } from './peers/open-negotiation.ts';
import type { OnProgress } from './progress.ts';
import { ProvokeFiles } from './provoke/provoke-files.ts';
import { ProvokeLoader } from './provoke/compiled-definitions.ts';
import { Runner } from './provoke/runner.ts';
import { webhookPerformer } from './provoke/result-webhook.ts';
import { Scheduler } from './turns/scheduler.ts';
import { outboundFetch } from './outbound/guarded-fetch.ts';
import type { Matcher } from './regex/matcher.ts';

export interface KernelOptions {
  dataDir: DataDir;
  databaseUrl?: string | undefined;
  workspaceName?: string;
  clock?: Clock;
  random?: (length: number) => Uint8Array;
  /** Off only to show that the kill harness can fail. */
  sync?: boolean;
  onGroup?: EngineOptions['onGroup'];
  limits?: WorkLimits | undefined;
  /** Another version of the rules than this one's, for tests of what is kept across versions. */
  rules?: number | undefined;
  /** Tests replace handlers to show that a check can fail. */
  handlers?: Handlers;
  /** Matches regular expressions; replaced only in tests. */
  matcher?: (() => Matcher) | undefined;
  /** Thinks for the built-in agents; replaced only in tests. */
  brain?: Brain | undefined;
  /** Where secrets may stand. */
  env?: Record<string, string | undefined> | undefined;
  /** The tools of agents that think with a model. */
  tools?: ToolsFor | undefined;
  /** Result webhooks may go into the hub's own network. */
  privateWebhooks?: boolean;
  /** Whether a model or tool server in the hub's own network may be called. */
  mayCallPrivate?: (target: URL) => boolean;
  /** The models that people's peers may use. */
  peerModels?: PeerModelSettings | null;
  /** Runs people's peers; a hub without it has none. */
  peers?: PeerHost | undefined;
  /** A command that came to say one thing runs no agent: it would have to cut it off when it leaves. */
  runsAgents?: boolean;
  /** Go on with a database that lost facts. */
  acceptLoss?: boolean | undefined;
  onLossAccepted?: ((loss: Loss) => void) | undefined;
  /** Run the people's peers here, although the database names another folder as their home. */
  peersHere?: boolean | undefined;
  /** Seal secrets with this folder's key from now on, although those in the database are sealed with another. */
  newSecretsKey?: boolean | undefined;
  /** The database came back with fewer facts, and nothing can be written any more. */
  onLoss?: ((error: LostFactsError) => void) | undefined;
  /** The progress of an upgrade of the database. */
  onProgress?: OnProgress | undefined;
  /** Agents a new workspace begins with. */
  agents?: { handle: string; displayName: string; about: string }[];
  onError: (error: unknown) => void;
}

type StoreOptions = Pick<KernelOptions, 'dataDir' | 'databaseUrl' | 'clock' | 'sync' | 'newSecretsKey' | 'onProgress'> & {
  epoch: string;
  admit?: AdmitDatabase;
};

/** The driver of PostgreSQL is loaded where it is used: a hub on SQLite does without its 11 MB. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { dataDir, databaseUrl, clock, sync = true, epoch, admit, newSecretsKey = false, onProgress } = options;
  const common = { key: dataDir.checksumKey, epoch, onProgress, ...(admit ? { admit } : {}) };
  if (databaseUrl === undefined) return SqliteStore.open({ ...common, path: dataDir.databasePath, clock: clock ?? systemClock, sync });
  const { PostgresStore } = await import('./store/postgres/store.ts');
  const { sealingKey } = dataDir;
  const secretsKey = { key: sealingKey, isNew: newSecretsKey, opens: (row: SecretRow) => unsealSecret(sealingKey, row) !== undefined };
  return PostgresStore.open({ ...common, url: databaseUrl, secretsKey, ...(clock ? { clock } : {}) });
}

/** The store and the engine, with all that follows or wakes them. */
function buildEngine(options: KernelOptions, store: Store, ids: Ids) {
  const { dataDir, onError } = options;
  const clock = options.clock ?? systemClock;
  const limits = options.limits ?? workLimits;
  const rules = options.rules ?? rulesVersion;
  const auth = new Auth(store, clock);
  const blobs = new Blobs(dataDir.blobsPath);
  const provoke = new ProvokeLoader(options.matcher?.());
  const engine = new Engine({
    store,
    provoke,
    handlers: options.handlers ?? handlers,
    ids,
    onError,
    limits,
    rules,
    onGroup: (group) => {
      options.onGroup?.(group);
      auth.forget(group.facts);
      if (group.tables.has('timers')) timers.wake();
      if (group.tables.has('outbox')) outbox.wake();
    },
  });
  const tail = new Tail(store, onError);
  const indexer = new Indexer(store, onError);
  const timers: Timers = new Timers({ store, engine, clock, eventsKeptMs: limits.eventsKeptMs, onError });
  const keys = new SecretStore({
    store,
    folder: dataDir.secretsPath,
    sealingKey: dataDir.sealingKey,
    env: options.env ?? process.env,
    use: async (name, host, external) => (await engine.submit({ type: 'secret.use', by: platform, name, host, external })).hosts,
  });
  const sending = { store, engine, keys, clock, allowPrivate: options.privateWebhooks ?? false };
  const peers = new Peers({ store, engine, host: options.peers, dataDir, peersHere: options.peersHere ?? false });
  const outbox: EffectOutbox = new EffectOutbox({
    store,
    engine,
    clock,
    onError,
    leaves: (kind) => peers.leaves(kind),
    performers: {
      ...performers(store, engine, blobs),
      'invocation.webhook': webhookPerformer(sending),
      ...peers.performers,
      ...requestLinkPerformers({ store, engine, peers }),
    },
  });
  return { store, engine, tail, timers, outbox, indexer, auth, blobs, ids, clock, limits, rules, keys, provoke, peers };
}

/** The runners of agents and invocations, and the folders that describe them. */
function buildRunners(options: KernelOptions, parts: ReturnType<typeof buildEngine>) {
  const { dataDir, onError } = options;
  const { store, engine, tail, clock, keys, provoke, peers } = parts;
  /** A door sets where drafts are shown. */
  const drafts = { show: (_drafting: DraftRequest, _text: string | null): Promise<void> => Promise.resolve() };
  const outbound = outboundFetch(options.mayCallPrivate ?? (() => false));
  const tools = new McpClients({ store, engine, keys, outbound, tail, clock, folder: dataDir.path, onError });
  const toolHub: ToolHub = {
    store,
    engine,
    clock,
    contact: (call, signal) => contactAgent({ store, engine, tail }, call, signal),
    negotiate: (call) => negotiate({ store, engine, peers }, call),
  };
  const agentTools = toolsFor(toolHub, tools);
  const scheduler = new Scheduler({
    store,
    engine,
    tail,
    clock,
    onError,
    brains: {
      builtin: demoBrain({ store, clock, builtin: options.brain ?? builtinBrain(agentTools) }),
      model: new ModelBrain({ store, keys, outbound, clock, toolsFor: options.tools ?? agentTools }),
    },
    // A brain that goes on drafting after its turn was taken away reaches nobody.
    draft: ({ id, lease, agent_id }, text) =>
      void drafts.show({ taskId: id, lease, agentId: agent_id! }, text).catch((error: unknown) => {
        if (!(error instanceof ParleyError)) onError(error);
      }),
  });
  return {
    scheduler,
    drafts,
    tools,
    peerModels: new PeerModels({ engine, keys, outbound, clock, settings: options.peerModels ?? null }),
    /** The tools of a brain in the hub, besides words. */
    toolsFor: agentTools,
    /** The same for an agent of any make, over its socket. */
    toolCalls: new ToolCalls(toolHub, tools),
    returning: new ReconnectingAgents({ store, engine, clock, onError }),
    runner: new Runner({ store, engine, tail, clock, keys, outbound, servers: tools, provoke, onError }),
    story: new Story({ store, engine, tail, clock, provoke, onError }),
    folders: new AgentFolders({ root: dataDir.agentsPath, store, engine, clock, onError }),
    provokeFiles: new ProvokeFiles({ dataDir: dataDir.path, roots: dataDir.provokePaths, store, engine, clock, provoke, onError }),
  };
}

type Parts = ReturnType<typeof buildEngine> & ReturnType<typeof buildRunners> & { heads: HeadKeeper };
export type Kernel = Parts & { stop(): Promise<void> };

export async function startKernel(options: KernelOptions): Promise<Kernel> {
  const ids = new Ids(options.random ?? randomBytes);
  const { dataDir, clock = systemClock, acceptLoss, onError } = options;
  const heads = new HeadKeeper({ dataDir: dataDir.path, now: () => clock.now(), acceptLoss, onError });
  let isOpen = false;
  const admit: AdmitDatabase = (database) =>
    heads.admit(database).catch((error: unknown) => {
      if (!isOpen || !(error instanceof LostFactsError)) throw error;
      options.onLoss?.(error);
      throw new StoreAwayError(error);
    });
  const store = await openStore({ ...options, epoch: ids.epoch(), admit });
  isOpen = true;
  try {
    const base = buildEngine(options, store, ids);
    if (heads.loss) {
      await settleLoss(heads.loss, { ...base, dataDir });
      options.onLossAccepted?.(heads.loss);
    }
    await heads.follow(store);
    const parts = { ...base, ...buildRunners(options, base), heads };
    await startParts(options, parts);
    return { ...parts, stop: () => stopParts(parts) };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function startParts(options: KernelOptions, parts: Parts): Promise<void> {
  const { store, engine, tail, timers, indexer } = parts;
  await tail.start();
  tail.listen((facts) => parts.heads.hear(facts));
  tail.listen((facts) => parts.auth.forget(facts));
  tail.listen((facts) => parts.peers.hear(facts));
  tail.listen(() => indexer.wake());
  tail.listen((facts) => (facts.some((fact) => fact.type === 'workspace.halted') ? timers.halted() : undefined));
  await indexHandles(store, engine);
  await keepNames(store, engine);
  await pinManifests(store, engine);
  const { founded } = await engine.submit({
    type: 'workspace.found',
    by: platform,
    name: options.workspaceName ?? 'Parley',
    agents: options.agents ?? firstAgents,
  });
  if (founded) await makeFolders(options.dataDir);
  await timers.start(async () => {
    if (await store.lead()) await parts.returning.start();
  });
  await parts.folders.scan();
  await parts.provokeFiles.scan();
  await parts.tools.start();
  if (options.runsAgents ?? true) {
    await parts.scheduler.start();
    void parts.runner.start();
  }
  parts.outbox.wake();
  indexer.wake();
}

async function stopParts({ tail, ...parts }: Parts): Promise<void> {
  parts.returning.stop();
  parts.story.stop();
  parts.peers.giveUp();
  await parts.folders.stop();
  await parts.provokeFiles.stop();
  await parts.scheduler.stop();
  await parts.runner.stop();
  await parts.tools.stop();
  await parts.timers.stop();
  await parts.outbox.stop();
  await parts.peers.stop();
  await parts.engine.stop();
  await parts.provoke.matcher.close();
  // With the database away there is nothing more to pass on, and nobody to wait for.
  await Promise.race([tail.settled(), new Promise((resolve) => setTimeout(resolve, 3000).unref())]);
  await tail.stop();
  await parts.indexer.stop();
  await parts.heads.stop();
  await parts.store.close();
}

/** So that `^ORAC` answers on the first day, with no key and no network. */
const firstAgents = [
  { handle: 'ORAC', displayName: 'Orac', about: 'Built in: knows what is going on here, sums up, finds, and asks others.' },
  { handle: 'STEF', displayName: 'Stef', about: 'Built in: has the same skills, so that ORAC has somebody to ask.' },
];

/** No new handle may look like one that was there before looks were stored (schema 8). */
async function indexHandles(store: Store, engine: Engine): Promise<void> {
  const missing = await handlesToIndex(store);
  for (let at = 0; at < missing.length; at += 500)
    await engine.submit({ type: 'handles.index', by: platform, subjectIds: missing.slice(at, at + 500).map(({ id }) => id) });
}

/** Names of private channels stand in a table of their own (schema 12), and keep nobody from using them (schema 8). */
async function keepNames(store: Store, engine: Engine): Promise<void> {
  const missing = await namesToKeep(store);
  for (let at = 0; at < missing.length; at += 500)
    await engine.submit({ type: 'channels.keep_names', by: platform, conversationIds: missing.slice(at, at + 500).map(({ id }) => id) });
}

/** A rename before the first delivery after an upgrade would lead the result elsewhere. */
async function pinManifests(store: Store, engine: Engine): Promise<void> {
  const manifestIds = (await manifestsToPin(store)).filter((row) => namesTargets(bodyOf(row) as Manifest)).map(({ id }) => id);
  for (let at = 0; at < manifestIds.length; at += 100)
    await engine.submit({ type: 'manifests.pin_names', by: platform, manifestIds: manifestIds.slice(at, at + 100) });
}

function performers(store: Store, engine: Engine, blobs: Blobs): EffectOutbox['options']['performers'] {
  return {
    'store.scrub': () => store.scrub(),
    'blob.erase': ({ sha256 }) => blobs.eraseUnused(sha256!, store),
    'member.erase_more': ({ memberId }) => eraseAll(memberId!, store, engine),
  };
}
