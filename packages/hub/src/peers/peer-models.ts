// A question of a person's peer to the hub's model. The hub's key pays, so the person's day and the workspace's day are charged:
// reserved before the question, settled after it (SYS-10). Nothing of a question or an answer is stored or logged here.

import { type HubModelProvider, type HubModels, ParleyError, type PeerModelAnswer, type PeerModelQuestion } from '@parley/protocol';
import type { SecretStore } from '../agents/secrets.ts';
import { askModels, type ModelQuestion, mostOf, Meter, questionWithoutRuns } from '../brains/model/ask-models.ts';
import type { Clock } from '../clock.ts';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { configOf, type PeerModelSettings } from './hub-models.ts';

export interface PeerModelParts {
  engine: Engine;
  keys: SecretStore;
  outbound: Outbound;
  clock: Clock;
  settings: PeerModelSettings | null;
}

const budgetTexts: Readonly<Record<string, string>> = {
  member_day: 'your budget for models is used up for today',
  workspace_day: 'the workspace’s budget for models is used up for today',
};

const withoutKey = ({ provider, baseUrl, models }: HubModelProvider): HubModelProvider => ({ provider, baseUrl, models });

export class PeerModels {
  readonly #parts: PeerModelParts;
  readonly #ending = new AbortController();

  constructor(parts: PeerModelParts) {
    this.#parts = parts;
  }

  get offered(): HubModels | null {
    const { settings } = this.#parts;
    return settings && { first: withoutKey(settings.first), second: settings.second && withoutKey(settings.second) };
  }

  async ask(memberId: string, question: PeerModelQuestion): Promise<PeerModelAnswer> {
    const { settings } = this.#parts;
    const provider = question.isSecond ? settings?.second : settings?.first;
    if (!provider || !Object.values(provider.models).includes(question.model)) return { failed: 'This hub offers no such model' };
    const config = configOf(provider, question.model);
    const safeQuestion = questionWithoutRuns(question);
    const most = mostOf(safeQuestion, config);
    try {
      const day = await this.#reserve(memberId, { turns: 1, micros: most });
      return await this.#askWithin(memberId, day, most, safeQuestion, config);
    } catch (error) {
      if (!(error instanceof ParleyError) || error.code !== 'budget_exhausted') throw error;
      return { failed: budgetTexts[String(error.reason)] ?? 'the budget for models is used up' };
    }
  }

  /** Whatever comes of it, the reservation becomes what it has cost. */
  async #askWithin(memberId: string, at: number, most: number, asked: ModelQuestion, config: ReturnType<typeof configOf>) {
    const { engine, keys, outbound, clock } = this.#parts;
    const meter = new Meter();
    let reserved = most;
    try {
      const answer = await askModels(asked, {
        models: [config],
        meter,
        keyFor: (name, host) => keys.keyFor(name, host),
        outbound,
        clock,
        signal: this.#ending.signal,
        reserve: async (total) => {
          if (total <= reserved) return;
          await this.#reserve(memberId, { turns: 0, micros: total - reserved }, at);
          reserved = total;
        },
      });
      if ('failed' in answer) return { failed: answer.failed };
      return { calls: answer.said.calls.map(({ name, input, broken }) => ({ name, input, ...(broken ? { broken } : {}) })) };
    } finally {
      await engine.submit({ type: 'peer.settle_model', by: platform, memberId, at, reserved, spent: meter.soFar().micros });
    }
  }

  /** The day on which the amount counts. */
  async #reserve(memberId: string, amount: { turns: number; micros: number }, at?: number): Promise<number> {
    const command = { type: 'peer.reserve_model', by: platform, memberId, amount, ...(at === undefined ? {} : { at }) } as const;
    return (await this.#parts.engine.submit(command)).at;
  }

  stop(): void {
    this.#ending.abort();
  }
}
