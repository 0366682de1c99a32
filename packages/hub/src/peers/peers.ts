// The people's peers, as the rest of the hub uses them: whose peer it is comes from the member's row, a refusal of the service
// becomes an error of the API, and each report of the service becomes a command.

import {
  type ErrorCode,
  type NegotiationSummary,
  ParleyError,
  type PeerCall,
  PeerCallError,
  type PeerCallErrorCode,
  type PeerCalls,
  type PeerEvents,
  type PeerHost,
  type PeerOwner,
  type PromptCard,
} from '@parley/protocol';
import { takeRestoredPeers } from '../backup/backed-up-files.ts';
import { platform } from '../engine/command.ts';
import type { DataDir } from '../data-dir.ts';
import type { Engine } from '../engine/engine.ts';
import type { Performer } from '../engine/outbox.ts';
import type { PlacedFact, Store } from '../store/port.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { postToChannel, takeBackPost } from './channel-posts.ts';
import { callOwnTool, toolsOf } from './own-tools.ts';
import { erasedHere, removeFolders, awayAt, claimPeers, type PeersAway } from './peer-folders.ts';
import type { PeerModels } from './peer-models.ts';

/** Other refusals become `peer_refused`. */
const codes: Partial<Record<PeerCallErrorCode, ErrorCode>> = {
  not_found: 'not_found',
  no_identity: 'not_found',
  unknown_peer: 'not_found',
  unknown_id: 'not_found',
  bad_input: 'invalid_request',
  answered: 'already_answered',
  calendar_conflict: 'calendar_conflict',
  unavailable: 'peer_unavailable',
  relay_away: 'peer_unavailable',
  queue_full: 'peer_unavailable',
  occupied: 'peer_occupied',
};

const noService = 'This hub runs no peers. Start it with `npx parley up`, or run your own peer with `npx parley peer run`.';
const notStarted = 'The hub’s peers did not start, or are stopping. Its log says why.';

const notHere = (memberId: string): string =>
  `This peer is not in the hub’s data folder. The operator copies the folder peers/${memberId} here from the one that holds it, or restores a backup.`;

/** The people of this hub whom a call names. */
const othersIn = (argument: unknown): string[] =>
  [(argument as { with?: unknown } | null)?.with].flat().flatMap((one) => (one as { memberId?: string } | undefined)?.memberId ?? []);

interface PeersOptions {
  store: Store;
  engine: Engine;
  host: PeerHost | undefined;
  dataDir: DataDir;
  /** Run the peers here, although the database names another folder as their home. */
  peersHere: boolean;
}

interface PeersStart {
  port: number;
  servers: McpClients;
  models: PeerModels;
  /** Peers that live elsewhere are a state of this hub and no failure. */
  warn: (text: string) => void;
}

export class Peers {
  private isOpen = false;
  /** Another hub of the database runs the peers, or none does. */
  private away: PeersAway;
  private models: PeerModels | undefined;
  private warn: PeersStart['warn'] = () => {};
  private readonly opening = new Set<string>();
  /** Resolved when the service has started, or never will. */
  private readonly started = Promise.withResolvers<void>();
  private readonly options: PeersOptions;

  constructor(options: PeersOptions) {
    this.options = options;
  }

  /** Checks whether this hub runs the peers and their relay, before it listens. */
  async claim(): Promise<boolean> {
    if (this.options.host) this.away = await claimPeers(this.options, this.options.peersHere);
    if (this.away) await this.removeErased();
    return !this.away;
  }

  /** Another hub runs the peers from now on. */
  async hear(facts: readonly PlacedFact[]): Promise<void> {
    const edited = facts.flatMap(({ type, subject_id }) => (type === 'member.edited' && subject_id !== null ? [subject_id] : []));
    if (this.away && edited.length > 0) await this.removeErased(edited);
    const moved = facts.findLast(({ type }) => type === 'peers.home_moved');
    if (!moved) return;
    const away = awayAt(moved.subject_id!, this.options.dataDir);
    const stops = away && !this.away;
    // This hub does not run them again without a restart.
    this.away = away ?? this.away;
    if (!stops) return;
    this.warnAway();
    await this.stop();
  }

  private warnAway(): void {
    if (this.away) this.warn(`${this.away.why} ${this.away.remedy}`);
  }

  private async removeErased(among?: string[]): Promise<void> {
    const { store, dataDir } = this.options;
    await removeFolders(dataDir.path, await erasedHere(store, dataDir.path, among));
  }

  /** Starts the service after the hub listens, because the service reaches the relay on the hub's port. */
  async start({ port, servers, models, warn }: PeersStart): Promise<void> {
    const { host, store, engine } = this.options;
    this.models = models;
    const parts = { store, engine, servers };
    if (!host) return;
    this.warn = warn;
    if (this.away) {
      this.started.resolve();
      return this.warnAway();
    }
    const restored: string[] = [];
    let left: string[];
    try {
      await host.start({
        port,
        events: this.events(),
        isActive: (id) => this.isActive(id),
        memberAt: async (address) => (await this.options.store.rows('peers', { address }))[0]?.member_id ?? null,
        toolsOf: (id) => toolsOf(parts, id),
        callTool: (...call) => callOwnTool(parts, ...call),
        post: (...given) => postToChannel(engine, ...given),
        takeBackPost: (...given) => takeBackPost(engine, ...given),
        models: models.offered,
        askModel: (...question) => models.ask(...question),
        restarted: () => this.failUnknown(),
      });
      left = await takeRestoredPeers(this.options.dataDir.path, async (memberId, text) => {
        await host.restore(memberId, text);
        restored.push(memberId);
      });
      this.isOpen = true;
    } finally {
      this.started.resolve();
    }
    // Used once, a peer goes on the line. Without a relay it waits in its folder.
    for (const memberId of restored) if (await this.isActive(memberId)) await this.call(memberId, 'me', null).catch(ifPeerFault);
    await this.failUnknown(true);
    // Their folders came from another hub, or from a copy of the files.
    for (const memberId of await erasedHere(store, this.options.dataDir.path)) await host.erase(memberId);
    if (left.length > 0)
      throw new Error(
        `Peers of ${left.join(', ')} were not restored. Their backups stay in the folder restored-peers until the next start.`,
      );
  }

  /** Releases the callers that wait for a service that will not start. */
  giveUp(): void {
    this.started.resolve();
  }

  async stop(): Promise<void> {
    this.isOpen = false;
    this.giveUp();
    this.models?.stop();
    await this.options.host?.stop();
  }

  /** While the call runs, nobody may decide that it has failed. */
  async open<C extends 'open' | 'invite'>(
    memberId: string,
    threadId: string,
    command: C,
    argument: PeerCalls[C]['in'],
  ): Promise<NegotiationSummary> {
    this.opening.add(threadId);
    try {
      return await this.call(memberId, command, argument);
    } finally {
      this.opening.delete(threadId);
    }
  }

  async call<C extends PeerCall>(memberId: string, command: C, argument: PeerCalls[C]['in']): Promise<PeerCalls[C]['out']> {
    const host = await this.running(memberId);
    const [member] = await this.options.store.rows('members', { id: memberId });
    if (!member) throw new ParleyError('not_found');
    const owner: PeerOwner = { memberId, handle: member.handle, displayName: member.display_name };
    await this.mustBeHere([memberId, ...othersIn(argument)], host);
    return ownErrors(() => host.call(owner, command, argument));
  }

  /** The service makes a peer on first use: of one whose folder is elsewhere it would make a second identity. */
  private async mustBeHere(memberIds: string[], host: PeerHost): Promise<void> {
    for (const { member_id } of await this.options.store.rows('peers', { member_id: memberIds }))
      if (!(await ownErrors(() => host.knows(member_id)))) throw new ParleyError('peer_unavailable', notHere(member_id));
  }

  /** The words of open prompts, by id. Undefined: the service does not answer. */
  async cards(memberId: string, ids: string[]): Promise<Map<string, PromptCard> | undefined> {
    if (ids.length === 0) return new Map();
    try {
      const found = await this.call(memberId, 'prompts', { ids });
      return new Map(found.map(({ id, card }) => [id, card]));
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return undefined;
    }
  }

  /** The operator's backup of the whole hub needs it. */
  backup(memberId: string): Promise<string | undefined> {
    return ownErrors(async () => (await this.running()).backup(memberId));
  }

  /** For a person's own export. Undefined: they have no peer. One that is not here is named as missing. */
  async exported(memberId: string): Promise<Record<string, unknown> | undefined> {
    const { host, store } = this.options;
    if (host && !this.away && (await host.knows(memberId))) return this.call(memberId, 'export', null);
    const [known] = await store.rows('peers', { member_id: memberId });
    return known && { missing: this.away?.why ?? 'This hub does not have the folder of your peer.' };
  }

  /** Only the hub that runs the peers can close or erase one. */
  leaves(kind: string): boolean {
    return this.away !== undefined && kind in this.performers;
  }

  /** Effects of the outbox. */
  readonly performers: Record<string, Performer> = {
    'peer.close': async ({ memberId }) => {
      if (!(await this.isActive(memberId!))) await ownErrors(async () => (await this.running()).close(memberId!));
    },
    'peer.erase': ({ memberId, address }) => ownErrors(async () => (await this.running()).erase(memberId!, address)),
    'negotiation.decline': async ({ memberId, threadId }) => {
      if (!(await this.isActive(memberId!))) return;
      const host = await this.running();
      // Without a folder there is no negotiation to decline.
      if (!(await ownErrors(() => host.knows(memberId!)))) return;
      await this.call(memberId!, 'steer', { threadId: threadId!, act: 'decline' }).catch((error: unknown) => {
        // These errors mean that the negotiation has ended meanwhile, or was never opened.
        if (!(error instanceof ParleyError) || !['not_found', 'peer_refused', 'invalid_request'].includes(error.code)) throw error;
      });
    },
  };

  private events(): PeerEvents {
    const { engine } = this.options;
    return {
      made: async (memberId, address) => void (await engine.submit({ type: 'peer.record', by: platform, memberId, address })),
      changed: async (memberId, status) => void (await engine.submit({ type: 'negotiation.record', by: platform, memberId, status })),
      alarms: async (memberId, prompts) => void (await engine.submit({ type: 'peer.prompts', by: platform, memberId, prompts })),
      space: async (memberId, status) => void (await engine.submit({ type: 'space.record', by: platform, memberId, status })),
      sharing: async (memberId, rules) => void (await engine.submit({ type: 'sharing.set', by: platform, memberId, rules })),
    };
  }

  /** The negotiation at the service; undefined: it knows none. Without a service there is none either. */
  async found(memberId: string, threadId: string): Promise<NegotiationSummary | 'no_answer' | undefined> {
    if (!this.isOpen) return undefined;
    try {
      return await this.call(memberId, 'negotiation', { threadId });
    } catch (error) {
      if (!(error instanceof ParleyError)) throw error;
      return error.code === 'not_found' ? undefined : 'no_answer';
    }
  }

  /**
   * The hub or the service stopped between the hub's row and the service's answer: nobody else would ever end it. `isResumed`: turns go
   * on, and open their own again.
   */
  private async failUnknown(isResumed = false): Promise<void> {
    const { store, engine } = this.options;
    for (const row of await store.rows('negotiations', { state: 'OPENING', open: 1 })) {
      if (this.opening.has(row.thread_id)) continue;
      const [task] = row.task_id === null ? [] : await store.rows('tasks', { id: row.task_id });
      if (isResumed && task?.state === 'active') continue;
      if ((await this.found(row.member_id, row.thread_id)) !== undefined) continue;
      await engine.submit({ type: 'negotiation.fail', by: platform, memberId: row.member_id, threadId: row.thread_id, isReported: false });
    }
  }

  /** A turn that goes on after a restart may ask before the service has started. `memberId`: who asks; undefined is the operator. */
  private async running(memberId?: string): Promise<PeerHost> {
    const { host } = this.options;
    if (!host) throw new ParleyError('peer_unavailable', noService);
    if (this.away) throw new ParleyError('peer_unavailable', `${this.away.why} ${await this.remedyFor(memberId, this.away.remedy)}`);
    await this.started.promise;
    if (!this.isOpen) throw new ParleyError('peer_unavailable', notStarted);
    return host;
  }

  private async remedyFor(memberId: string | undefined, remedy: string): Promise<string> {
    const [member] = memberId === undefined ? [] : await this.options.store.rows('members', { id: memberId });
    return member && !['owner', 'admin'].includes(member.role) ? 'Ask an owner or admin of the workspace.' : remedy;
  }

  private async isActive(memberId: string): Promise<boolean> {
    const [member] = await this.options.store.rows('members', { id: memberId });
    return member?.status === 'active';
  }
}

function ifPeerFault(error: unknown): void {
  if (!(error instanceof ParleyError)) throw error;
}

/** A failure of the service may hold words of a negotiation: neither the caller nor the log gets them. */
async function ownErrors<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof PeerCallError) throw new ParleyError(codes[error.code] ?? 'peer_refused', error.message);
    throw new ParleyError('peer_unavailable', `Your peer failed (${(error as Error).name}). Try again in a moment.`);
  }
}
