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
  type PeerOwner,
  type PromptCard,
} from '@parley/protocol';
import { takeRestoredPeers } from '../backup/restored-peers.ts';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Performer } from '../engine/outbox.ts';
import type { Store } from '../store/port.ts';
import type { McpClients } from '../tools/mcp-clients.ts';
import { postToChannel, takeBackPost } from './channel-posts.ts';
import { callOwnTool, toolsOf } from './own-tools.ts';
import type { PeerModels } from './peer-models.ts';
import type { PeerHost } from './port.ts';

const codes: Record<PeerCallErrorCode, ErrorCode> = {
  not_found: 'not_found',
  bad_input: 'invalid_request',
  answered: 'already_answered',
  calendar_conflict: 'calendar_conflict',
  unavailable: 'peer_unavailable',
  refused: 'peer_refused',
  occupied: 'peer_occupied',
};

const noService = 'This hub runs no peers. Start it with `parley up`, or run your own peer with `parley peer run`.';
const notStarted = 'The hub’s peers did not start, or are stopping. Its log says why.';

interface PeersOptions {
  store: Store;
  engine: Engine;
  host: PeerHost | undefined;
  dataDir: string;
}

export class Peers {
  private isOpen = false;
  private models: PeerModels | undefined;
  private readonly opening = new Set<string>();
  /** Resolved when the service has started, or never will. */
  private readonly started = Promise.withResolvers<void>();
  private readonly options: PeersOptions;

  constructor(options: PeersOptions) {
    this.options = options;
  }

  /** When the hub listens: the service reaches the relay on the hub's port. */
  async start(port: number, servers: McpClients, models: PeerModels): Promise<void> {
    const { host, store, engine } = this.options;
    this.models = models;
    const parts = { store, engine, servers };
    if (!host) return;
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
      left = await takeRestoredPeers(this.options.dataDir, async (memberId, text) => {
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
    if (left.length > 0)
      throw new Error(
        `Peers of ${left.join(', ')} were not restored. Their backups stay in the folder restored-peers until the next start.`,
      );
  }

  /** Nobody waits for a service that will not start any more. */
  giveUp(): void {
    this.started.resolve();
  }

  async stop(): Promise<void> {
    this.isOpen = false;
    this.giveUp();
    this.models?.stop();
    await this.options.host?.stop();
  }

  /** As long as it is under way, nobody decides that it has failed. */
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
    const host = await this.running();
    const [member] = await this.options.store.rows('members', { id: memberId });
    if (!member) throw new ParleyError('not_found');
    const owner: PeerOwner = { memberId, handle: member.handle, displayName: member.display_name };
    return ownErrors(() => host.call(owner, command, argument));
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

  /** For the operator's backup of the whole hub. */
  backup(memberId: string): Promise<string | undefined> {
    return ownErrors(async () => (await this.running()).backup(memberId));
  }

  /** For a person's own export. Undefined: they have no peer here. */
  async exported(memberId: string): Promise<Record<string, unknown> | undefined> {
    const { host } = this.options;
    if (!host || !(await host.knows(memberId))) return undefined;
    return this.call(memberId, 'export', null);
  }

  /** Effects of the outbox. */
  readonly performers: Record<string, Performer> = {
    'peer.close': async ({ memberId }) => {
      if (!(await this.isActive(memberId!))) await ownErrors(async () => (await this.running()).close(memberId!));
    },
    'peer.erase': ({ memberId }) => ownErrors(async () => (await this.running()).erase(memberId!)),
    'negotiation.decline': async ({ memberId, threadId }) => {
      if (!(await this.isActive(memberId!))) return;
      await this.call(memberId!, 'steer', { threadId: threadId!, act: 'decline' }).catch((error: unknown) => {
        // It has ended meanwhile, or was never opened.
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

  /** A turn that goes on after a restart may ask before the service has started. */
  private async running(): Promise<PeerHost> {
    const { host } = this.options;
    if (!host) throw new ParleyError('peer_unavailable', noService);
    await this.started.promise;
    if (!this.isOpen) throw new ParleyError('peer_unavailable', notStarted);
    return host;
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
    if (error instanceof PeerCallError) throw new ParleyError(codes[error.code], error.message);
    throw new ParleyError('peer_unavailable', `Your peer failed (${(error as Error).name}). Try again in a moment.`);
  }
}
