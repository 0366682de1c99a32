// An agent on a hub in memory, with a clock that moves when told.

import { connectAgent } from '../../src/agent/index.ts';
import type { AgentOptions, AgentState, ConnectedAgent } from '../../src/agent/index.ts';
import { FakeHub } from './hub-in-memory.ts';
import { ManualClock, until } from '../support.ts';

export class Bench {
  readonly hub = new FakeHub();
  readonly clock = new ManualClock();
  readonly agents: ConnectedAgent[] = [];
  readonly states: AgentState[] = [];
  readonly errors: unknown[] = [];

  async connect(onTask: AgentOptions['onTask'], options: Partial<AgentOptions> = {}): Promise<ConnectedAgent> {
    const agent = connectAgent({
      url: 'http://hub.test',
      token: 'pa_t',
      connect: this.hub.connect,
      clock: this.clock,
      random: () => 0,
      onState: (state) => void this.states.push(state),
      onError: (error) => void this.errors.push(error),
      onTask,
      ...options,
    });
    this.agents.push(agent);
    await until(() => agent.state.status === 'live', 'live');
    return agent;
  }

  /** The hub goes away and comes back; what it has to say then has been remembered before. */
  async restart(): Promise<void> {
    this.hub.cut();
    this.clock.advance(10_000);
    await until(() => this.states.at(-1)?.status === 'live', 'live again');
  }

  bodies(): [kind: string, body: string][] {
    return this.hub.shown.map(({ kind, body }) => [kind, body]);
  }

  keysOf(body: string): unknown[] {
    return this.hub.of('say').flatMap((say) => (say['body'] === body ? [say['key']] : []));
  }

  close(): void {
    for (const agent of this.agents) agent.close();
  }
}
