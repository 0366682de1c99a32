// The service that runs a hub's peers, in its real thread, with a real relay and a hub that only takes its reports.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { HostedPeers } from '@parley/peer/hosted';
import {
  type ConsentCard,
  type HubSharing,
  type HubModels,
  type PeerHub,
  type NegotiationStatus,
  PeerCallError,
  type PeerOwner,
  type PromptAnswer,
  type PromptCard,
  type PromptKind,
  type SpaceStatus,
} from '@parley/protocol';
import { waitFor } from '@parley/testkit';
import { onTestFinished } from 'vitest';
import { startRelay, type TestRelay } from '../peer/relay-kit.ts';

export const ann: PeerOwner = { memberId: 'mem_ann', handle: 'Ann', displayName: 'Ann Archer' };
export const bob: PeerOwner = { memberId: 'mem_bob', handle: 'bob', displayName: 'Bob Baker' };

/** What the hub has stored of the reports. */
export class HubReports {
  readonly made = new Map<string, string>();
  readonly statuses = new Map<string, NegotiationStatus>();
  readonly alarms = new Map<string, { id: string; kind: PromptKind }[]>();
  readonly sharing = new Map<string, HubSharing>();
  readonly spaces: (SpaceStatus & { of: string })[] = [];
  /** All of them, also those that a later one replaced. */
  readonly sharingReports: HubSharing[] = [];
  readonly inactive = new Set<string>();
  readonly problems: string[] = [];
  /** By member: tools of their own servers. */
  readonly tools = new Map<string, string[]>();
  readonly toolCalls: string[] = [];
  /** What stands in channels now, and everything that was posted. */
  readonly posts = new Map<string, string>();
  readonly postings: string[] = [];
  readonly archived = new Set<string>();
  /** Reports that fail before one is stored. */
  failures = 0;
  count = 0;
  restarts = 0;

  private async take(store: () => void): Promise<void> {
    this.count += 1;
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('The hub is busy.');
    }
    store();
  }

  readonly events = {
    made: (id: string, address: string) => this.take(() => this.made.set(id, address)),
    changed: (id: string, status: NegotiationStatus) => this.take(() => this.statuses.set(`${id}/${status.threadId}`, status)),
    alarms: (id: string, prompts: { id: string; kind: PromptKind }[]) => this.take(() => this.alarms.set(id, prompts)),
    space: (id: string, status: SpaceStatus) => this.take(() => this.spaces.push({ of: id, ...status })),
    sharing: (id: string, rules: HubSharing) =>
      this.take(() => {
        this.sharing.set(id, rules);
        this.sharingReports.push(rules);
      }),
  };

  status({ memberId }: PeerOwner, threadId: string): NegotiationStatus | undefined {
    return this.statuses.get(`${memberId}/${threadId}`);
  }
}

export interface TestHosting {
  host: HostedPeers;
  hub: HubReports;
  relay: TestRelay;
  worker: Worker;
  folder: string;
  /** Another service for the same folder, as after a restart of the hub. */
  again(options?: { hasRelay: boolean }): Promise<HostedPeers>;
}

const noServer: typeof fetch = () => Promise.reject(new Error('No server may be called here.'));

interface HostingParts {
  fetch?: typeof globalThis.fetch;
  onTool?: (tool: string) => Promise<void>;
  models?: HubModels;
  askModel?: PeerHub['askModel'];
}

const noModel = async () => ({ failed: 'There is no model' });

export async function startHosting({
  fetch = noServer,
  onTool = async () => {},
  models,
  askModel = noModel,
}: HostingParts = {}): Promise<TestHosting> {
  const relay = await startRelay();
  const folder = await mkdtemp(join(tmpdir(), 'parley-hosting-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const hub = new HubReports();
  const start = async ({ hasRelay } = { hasRelay: true }): Promise<HostedPeers> => {
    const host = new HostedPeers({
      folder,
      relay: hasRelay
        ? {
            path: '',
            key: () => relay.served.relay.key.public,
            invite: () => relay.invite(),
            forgetAddress: (address) => relay.served.relay.remove(address),
          }
        : undefined,
      publicRelayUrl: 'wss://parley.example/relay',
      fetch,
      onProblem: (problem) => hub.problems.push(problem),
      onThread: (worker) => (hosting.worker = worker),
    });
    onTestFinished(() => host.stop());
    const port = Number(new URL(relay.served.url).port);
    const memberAt = async (address: string) => [...hub.made].find(([, one]) => one === address)?.[0] ?? null;
    const callTool = async (memberId: string, tool: string) => {
      hub.toolCalls.push(`${memberId} ${tool}`);
      await onTool(tool);
    };
    await host.start({
      port,
      events: hub.events,
      memberAt,
      isActive: async (id) => !hub.inactive.has(id),
      toolsOf: async (id) => hub.tools.get(id) ?? [],
      callTool,
      post: async (memberId, { key, audience, text }) => {
        if (hub.archived.has(audience)) throw new PeerCallError('refused', 'This conversation is archived.');
        hub.posts.set(`${memberId} ${key}`, `${audience}: ${text}`);
        hub.postings.push(text);
      },
      takeBackPost: async (memberId, key) => void hub.posts.delete(`${memberId} ${key}`),
      models: models ?? null,
      askModel,
      restarted: async () => void (hub.restarts += 1),
    });
    return host;
  };
  const hosting: TestHosting = { host: undefined as never, worker: undefined as never, hub, relay, folder, again: start };
  hosting.host = await start();
  return hosting;
}

/** The words of the one prompt that the person has in the negotiation, once it is there. */
export async function promptOf(
  hosting: TestHosting,
  owner: PeerOwner,
  threadId: string,
  kind: PromptKind,
): Promise<{ id: string; card: PromptCard }> {
  const { id } = await waitFor(() => {
    const status = hosting.hub.status(owner, threadId);
    const open = status?.prompts.find((one) => one.kind === kind);
    if (!open) throw new Error(`${owner.handle} has no ${kind} in ${JSON.stringify(status)}; ${hosting.hub.problems.join('; ')}`);
    return open;
  });
  const [prompt] = await hosting.host.call(owner, 'prompts', { ids: [id] });
  return prompt!;
}

export async function answerWith(
  hosting: TestHosting,
  owner: PeerOwner,
  threadId: string,
  kind: PromptKind,
  answer: PromptAnswer,
): Promise<void> {
  const { id } = await promptOf(hosting, owner, threadId, kind);
  await hosting.host.call(owner, 'answer', { promptId: id, answer });
}

/** Shares everything that is asked. */
export async function shareAll(
  hosting: TestHosting,
  owner: PeerOwner,
  threadId: string,
  how: 'share' | 'always' = 'share',
): Promise<ConsentCard> {
  const { id, card } = await promptOf(hosting, owner, threadId, 'consent');
  const { fields } = card as ConsentCard;
  const answers = fields.map(({ field, value, choices }) => ({
    field,
    answer: how,
    ...(value === null ? { value: choices[0] ?? 'any' } : {}),
  }));
  await hosting.host.call(owner, 'answer', { promptId: id, answer: { kind: 'consent', fields: answers } });
  return card as ConsentCard;
}

/** Both confirm what is proposed until it is done: after a failure the two proposals may cross, and one of them is replaced. */
export const agree = (hosting: TestHosting, threadId: string): Promise<void> =>
  waitFor(async () => {
    const statuses = [ann, bob].map((owner) => [owner, hosting.hub.status(owner, threadId)] as const);
    for (const [owner, status] of statuses) {
      const open = status?.prompts.find(({ kind }) => kind === 'proposal');
      if (open) await hosting.host.call(owner, 'answer', { promptId: open.id, answer: { kind: 'confirm' } }).catch(ifAnswered);
    }
    if (statuses.some(([, status]) => status?.state !== 'COMPLETED')) throw new Error(JSON.stringify([statuses, hosting.hub.problems]));
  });

function ifAnswered(error: unknown): void {
  if (!(error instanceof PeerCallError) || error.code !== 'answered') throw error;
}

export const stateOf = (hosting: TestHosting, owner: PeerOwner, threadId: string, state: string): Promise<NegotiationStatus> =>
  waitFor(() => {
    const status = hosting.hub.status(owner, threadId);
    if (status?.state !== state)
      throw new Error(`${owner.handle} is not ${state}: ${JSON.stringify(status)}; ${hosting.hub.problems.join('; ')}`);
    return status;
  });

export const openDinner = (hosting: TestHosting, threadId = 'thr_dinner01', audience: string | null = null) =>
  hosting.host.call(ann, 'open', { threadId, with: bob, intent: 'Dinner on Friday', needs: [], audience });
