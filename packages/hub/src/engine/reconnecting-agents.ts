// Agents that were connected to the hub before this one. They work on while it is down and come back by themselves, and so
// they keep what they are at, and their status, for as long as that takes; who has not come by then is written off.

import type { Clock } from '../clock.ts';
import type { Store } from '../store/port.ts';
import { platform } from './command.ts';
import type { Engine } from './engine.ts';
import { hasWebhook, madeOf } from './steps/membership/agent-identities.ts';

/** The SDK tries again after half a second, one, two, four: within this it has tried while a hub was there to answer. */
export const returnMs = 15_000;

type Line = { member_id: string; session: number };

export interface ReturningOptions {
  store: Store;
  engine: Engine;
  clock: Clock;
  onError: (error: unknown) => void;
}

export class ReconnectingAgents {
  private readonly options: ReturningOptions;
  private cancel = () => {};
  private stopped = false;

  constructor(options: ReturningOptions) {
    this.options = options;
  }

  /** Agents of other hubs on the same database are among them: they are hung up on there, and come back. */
  async start(): Promise<void> {
    const online = await this.options.store.rows('agents', { online: 1 });
    if (online.length === 0) return;
    const webhookAgents = await this.toldByPost(online.map(({ member_id }) => member_id));
    // To these the hub itself opened the line, and whatever it waited for on it is lost.
    await this.hangUp(online.filter(({ member_id }) => webhookAgents.has(member_id)));
    const awaited = online.filter(({ member_id }) => !webhookAgents.has(member_id));
    if (awaited.length > 0) this.later(awaited);
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  private later(awaited: readonly Line[]): void {
    this.cancel = this.options.clock.after(returnMs, () => {
      this.hangUp(awaited).catch((error: unknown) => {
        // The next start waits for them again.
        if (this.stopped) return;
        this.options.onError(error);
        this.later(awaited);
      });
    });
  }

  /** Each in the session it had; one that has come back since has another. */
  private async hangUp(lines: readonly Line[]): Promise<void> {
    const { engine } = this.options;
    // Together: what they share is looked at once.
    await Promise.all(
      lines.map(({ member_id: agentId, session }) => engine.submit({ type: 'agent.disconnect', by: platform, agentId, session })),
    );
  }

  private async toldByPost(agentIds: string[]): Promise<Set<string>> {
    const { rows, damaged } = await this.options.store.intact('identities', { agent_id: agentIds });
    for (const error of damaged) this.options.onError(error);
    return new Set(rows.filter((row) => hasWebhook(madeOf(row))).map(({ agent_id }) => agent_id));
  }
}
