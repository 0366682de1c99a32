// Agents that are connected as any other program connects them: over sockets, by the SDK, in a process of their own.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Delivery } from '../../packages/protocol/src/index.ts';
import { type AgentTask, connectAgent, type ConnectedAgent } from '../../packages/sdk/src/agent/index.ts';
import { connectWithToken } from '../../packages/sdk/src/node.ts';
import type { Connect } from '../../packages/sdk/src/transport.ts';
import type { Hand } from './seed.ts';
import { serve } from './serve.ts';

export interface CrewInput {
  url: string;
  asker: Hand;
  answerer: Hand;
}
export interface TeamsInput {
  url: string;
  /** Each caller gives a piece of every task to each of its targets. */
  teams: { callers: Hand[]; targets: Hand[] }[];
}
/** Milliseconds until the answer was there. */
export type Asked = number[];

const online: ConnectedAgent[] = [];

/** Looks over the SDK's shoulder: a handler is not told that its task was given to it again, or left to it, after a restart. */
const confirmed = new Set<string>();
const watched: Connect = (request, handlers) =>
  connectWithToken(request, {
    onOpen: () => handlers.onOpen(),
    onAlive: () => handlers.onAlive?.(),
    onClose: (close) => handlers.onClose(close),
    onText: (text) => {
      const { method, params, result } = JSON.parse(text) as { method?: string; params?: Delivery; result?: { kept?: string[] } };
      if (method === 'deliver' && params?.event.kind === 'task') confirmed.add(params.event.task.id);
      for (const id of result?.kept ?? []) confirmed.add(id);
      handlers.onText(text);
    },
  });

function connect(url: string, hand: Hand, onTask: (task: AgentTask) => Promise<string>): Promise<void> {
  const live = Promise.withResolvers<void>();
  online.push(
    connectAgent({
      url,
      token: hand.token,
      connect: watched,
      onTask,
      onState: ({ status }) => (status === 'live' ? live.resolve() : undefined),
    }),
  );
  return live.promise;
}

let asks: { count: number; done: (samples: Asked) => void } = { count: 0, done: () => {} };
let askCount = 0;

/** One asks, the other answers at once. */
async function pair({ url, asker, answerer }: CrewInput): Promise<void> {
  await connect(url, answerer, (task) => Promise.resolve(`It is ${task.id}.`));
  await connect(url, asker, async (task) => {
    const samples: Asked = [];
    for (let i = 0; i < asks.count; i++) {
      const began = performance.now();
      const { status, text } = await task.contact({ action: 'ask', agentId: answerer.memberId, message: `What is number ${askCount++}?` });
      samples.push(performance.now() - began);
      if (status !== 'answered') throw new Error(text);
    }
    asks.done(samples);
    return `That was task ${task.id}.`;
  });
}

const nextAsks = ({ count }: { count: number }): Promise<Asked> => new Promise((done) => (asks = { count, done }));

/** The tasks that the targets have in hand. */
const held = new Set<string>();
let finish = Promise.withResolvers<void>();
let ended = 0;

/** Targets keep their tasks until the signal to finish; callers wait for every result. */
async function teams({ url, teams: all }: TeamsInput): Promise<void> {
  for (const { callers, targets } of all) {
    const holding = targets.map((hand) =>
      connect(url, hand, async (task) => {
        held.add(task.id);
        await finish.promise;
        held.delete(task.id);
        return `Done: ${task.id}.`;
      }),
    );
    const giving = callers.map((hand) =>
      connect(url, hand, async (task) => {
        const delegations = await Promise.all(
          targets.map(({ memberId }) =>
            task.contact({ action: 'delegate', agentId: memberId, message: `Your piece of ${task.id}, ${memberId}.` }),
          ),
        );
        const refused = delegations.find(({ status }) => status !== 'delegated');
        if (refused) throw new Error(refused.text);
        for (const _ of delegations) {
          await task.pause();
          await task.next('result');
        }
        ended++;
        return `All of ${task.id} is done.`;
      }),
    );
    await Promise.all([...holding, ...giving]);
  }
}

async function until(so: () => boolean, what: () => string): Promise<void> {
  const patience = performance.now() + 60_000;
  while (!so()) {
    if (performance.now() > patience) throw new Error(what());
    await sleep(5);
  }
}

const holding = ({ count }: { count: number }): Promise<void> =>
  until(
    () => held.size === count,
    () => `${held.size} of ${count} in hand`,
  );

/** Until the hub has said of every one of them that it goes on: left to its agent, or given to it again. */
async function resumed(): Promise<number> {
  confirmed.clear();
  await until(
    () => [...held].every((id) => confirmed.has(id)),
    () => `${held.size - confirmed.size} did not go on`,
  );
  return Date.now();
}

/** Lets the targets answer, and waits until their callers have ended. */
async function ending({ chains }: { chains: number }): Promise<void> {
  ended = 0;
  finish.resolve();
  await until(
    () => ended === chains,
    () => `${ended} of ${chains} callers have ended`,
  );
  finish = Promise.withResolvers<void>();
}

serve({}, { pair, nextAsks, teams, holding, resumed, ending }, () => {
  for (const agent of online) agent.close();
  return Promise.resolve();
});
