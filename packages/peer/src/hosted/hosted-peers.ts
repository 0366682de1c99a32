// The hub's side of the thread that serves its people's peers. A thread that dies is started again, and opens the peers again.

import { readdir } from 'node:fs/promises';
import type { Worker } from 'node:worker_threads';
import { badInput, type PeerCall, PeerCallError, type PeerCalls, type PeerHost, type PeerHub, type PeerOwner } from '@parley/protocol';
import { noRelay, type HubCalls, type RegistryCalls, type RegistrySettings } from './calls.ts';
import { faultOf } from './errors.ts';
import { makeRequest } from './hub-fetch.ts';
import { startThread, ThreadCalls } from './thread-calls.ts';
import { zoneProblem } from './zone-names.ts';

interface HubRelay {
  path: string;
  /** Undefined while the relay does not run. */
  key: () => string | undefined;
  invite: () => Promise<string>;
  forgetAddress: (address: string) => Promise<void>;
}

export interface HostedPeersOptions {
  /** Holds one folder for each person. */
  folder: string;
  /** The relay below the hub's address; undefined: the hub carries none. */
  relay: HubRelay | undefined;
  /** As people outside reach the relay; it goes into contact cards. */
  publicRelayUrl: string | undefined;
  /** Reaches the calendars and webhooks that people name. It decides which addresses may be called. */
  fetch: typeof fetch;
  onProblem: (problem: string) => void;
  /** Each thread that is started, for tests that end one. */
  onThread?: (worker: Worker) => void;
}

const restartMs = { first: 500, most: 60_000 };

function ifMissing(error: NodeJS.ErrnoException): string[] {
  if (error.code !== 'ENOENT') throw error;
  return [];
}

interface RunningThread {
  worker: Worker;
  calls: ThreadCalls<RegistryCalls>;
  exited: Promise<void>;
}

export class HostedPeers implements PeerHost {
  readonly #options: HostedPeersOptions;
  #hub: PeerHub | undefined;
  #thread: RunningThread | undefined;
  /** Nobody has a peer here, so no thread runs yet: it would be a quarter of an idle hub's memory. */
  #isAsleep = false;
  /** Each page names its person's zone when it loads: without a peer that starts nothing. The thread gets them when it starts. */
  readonly #zones = new Map<string, { owner: PeerOwner; argument: PeerCalls['noticeZone']['in'] }>();
  #starting: Promise<void> | undefined;
  #restart: NodeJS.Timeout | undefined;
  #pauseMs = restartMs.first;
  #isStopping = false;

  constructor(options: HostedPeersOptions) {
    this.#options = options;
  }

  async start(hub: PeerHub): Promise<void> {
    this.#hub = hub;
    this.#isAsleep = !(await this.#hasPeers());
    if (!this.#isAsleep) await this.#run();
  }

  async call<C extends PeerCall>(owner: PeerOwner, command: C, argument: PeerCalls[C]['in']): Promise<PeerCalls[C]['out']> {
    if (this.#isAsleep && command === 'noticeZone') {
      this.#keepZone(owner, argument as PeerCalls['noticeZone']['in']);
      return null;
    }
    return this.#awake((calls) => calls.call('call', owner, command, argument)) as Promise<PeerCalls[C]['out']>;
  }

  // Where nobody has a peer, these find none.
  knows = async (memberId: string): Promise<boolean> => !this.#isAsleep && this.#calls().call('knows', memberId);
  close = async (memberId: string): Promise<void> => (this.#isAsleep ? undefined : this.#calls().call('close', memberId));
  backup = async (memberId: string): Promise<string | undefined> =>
    this.#isAsleep ? undefined : ((await this.#calls().call('backup', memberId)) ?? undefined);
  restore = (memberId: string, text: string): Promise<void> => this.#awake((calls) => calls.call('restore', memberId, text));
  erase = async (memberId: string, address?: string): Promise<void> =>
    this.#isAsleep && address === undefined ? undefined : this.#awake((calls) => calls.call('erase', memberId, address));

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const thread = this.#thread;
    if (!thread) return;
    // A thread that has died meanwhile is stopped, too.
    await thread.calls.call('stop').catch(() => {});
    await thread.exited;
  }

  async #hasPeers(): Promise<boolean> {
    return (await readdir(this.#options.folder).catch(ifMissing)).length > 0;
  }

  /** The first call starts the thread; calls that come meanwhile wait in its queue. */
  async #awake<T>(call: (calls: ThreadCalls<RegistryCalls>) => Promise<T>): Promise<T> {
    if (this.#isAsleep) {
      this.#isAsleep = false;
      this.#starting = this.#firstRun().finally(() => (this.#starting = undefined));
    }
    await this.#starting;
    return call(this.#calls());
  }

  #keepZone(owner: PeerOwner, argument: PeerCalls['noticeZone']['in']): void {
    const problem = zoneProblem(argument.zone);
    if (problem !== undefined) throw badInput(problem);
    this.#zones.set(owner.memberId, { owner, argument });
  }

  async #firstRun(): Promise<void> {
    await this.#run();
    for (const { owner, argument } of this.#zones.values()) await this.#calls().call('call', owner, 'noticeZone', argument);
    this.#zones.clear();
  }

  #calls(): ThreadCalls<RegistryCalls> {
    if (!this.#thread) throw new PeerCallError('unavailable', 'The hub’s peers start again. Try again in a moment.');
    return this.#thread.calls;
  }

  async #run(): Promise<void> {
    const { folder, relay, publicRelayUrl = null } = this.#options;
    const thread = this.#open();
    this.#thread = thread;
    const relayUrl = relay ? `ws://127.0.0.1:${this.#hub!.port}${relay.path}` : null;
    const relayKey = relay?.key() ?? null;
    const { models } = this.#hub!;
    await thread.calls.call('start', { folder, relayUrl, relayKey, publicRelayUrl, models } satisfies RegistrySettings);
  }

  #open(): RunningThread {
    // Past its memory the thread ends, not the hub.
    const worker = startThread(new URL('./worker.ts', import.meta.url), 'peers', 512);
    this.#options.onThread?.(worker);
    const calls = new ThreadCalls<RegistryCalls>(worker, this.#answers());
    let problem: Error | undefined;
    worker.on('error', (error) => (problem = error as Error));
    const exited = new Promise<void>((resolve) => {
      worker.once('exit', () => {
        calls.end(new PeerCallError('unavailable', 'The hub’s peers stopped before they answered. Try again.'));
        this.#ended(problem);
        resolve();
      });
    });
    return { worker, calls, exited };
  }

  #ended(problem: Error | undefined): void {
    this.#thread = undefined;
    if (this.#isStopping) return;
    this.#options.onProblem(
      `The thread of the people’s peers ended and starts again: ${problem ? faultOf(problem) : 'no reason is known'}`,
    );
    this.#restart = setTimeout(() => {
      this.#runAgain().catch((error: unknown) => this.#options.onProblem(`The people’s peers do not start: ${faultOf(error)}`));
    }, this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, restartMs.most);
  }

  async #runAgain(): Promise<void> {
    await this.#run();
    await this.#hub!.restarted();
  }

  #answers(): HubCalls {
    const { relay, fetch, onProblem } = this.#options;
    const { events, ...hub } = this.#hub!;
    return {
      ...hub,
      ...events,
      invite: async () => {
        if (!relay) throw new PeerCallError('unavailable', noRelay);
        return relay.invite();
      },
      forgetAddress: async (address) => relay?.forgetAddress(address),
      fetch: (request) => makeRequest(fetch, request),
      log: async (problem) => onProblem(problem),
    };
  }
}
