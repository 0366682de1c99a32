// The agents' door: who is connected, and which facts go to whom. One connection per agent; the latest one counts.

import { closeCodes } from '@parley/protocol';
import type { Clock } from '../../clock.ts';
import { platform } from '../../engine/command.ts';
import type { Engine } from '../../engine/engine.ts';
import type { DraftRequest } from '../../engine/steps/tasks/floor-check.ts';
import type { Tail } from '../../engine/tail.ts';
import { factData } from '../../store/fact-data.ts';
import type { PlacedFact, Store } from '../../store/port.ts';
import type { ToolCalls } from '../../tools/socket-calls.ts';
import { RetryTimer } from '../../engine/background-failures.ts';
import { type PingedClient, takeFrames } from '../receive-rate.ts';
import type { Follower } from '../stream/live-streams.ts';
import { AgentConnection } from './connection.ts';
import { offerTypes, roundType, toldTypes } from './events.ts';

export interface AgentDoor {
  hub: { store: Store; engine: Engine; tail: Tail; clock: Clock; toolCalls: ToolCalls };
  limit(memberId: string, what: 'read' | 'write'): Promise<void>;
  /** Shows it, or refuses it with the reason. */
  draft(drafting: DraftRequest, text: string): Promise<void>;
  /** A connection calls this after its agent has identified itself. */
  connected(connection: AgentConnection): void;
  /** And when it is no longer there. */
  gone(connection: AgentConnection): Promise<void>;
  onError(error: unknown): void;
}

/** Unanswered calls of one connection. An agent that sends faster than the hub answers is disconnected. */
const maxUnderWay = 64;
/** A long answer at once, and then as much as an agent has to say. */
const agentsRate = { bytesPerSecond: 1_000_000, burst: 2_000_000 };
/** The longest wait for a client's `initialize`. */
const introductionMs = 15_000;

export class AgentSockets {
  private readonly door: AgentDoor;
  private readonly byAgent = new Map<string, AgentConnection>();
  /** The retries for connections that have ended but are not recorded as ended. */
  private readonly unwritten = new Set<RetryTimer>();
  private stopping = false;
  private readonly told = new Set([...toldTypes, ...offerTypes, roundType]);

  constructor(parts: Omit<AgentDoor, 'connected' | 'gone'>) {
    this.door = {
      ...parts,
      connected: (connection) => this.connected(connection),
      gone: (connection) => this.closed(connection),
      // Reads still in progress while the hub stops find no database, which is no failure.
      onError: (error) => (this.stopping ? undefined : parts.onError(error)),
    };
    parts.hub.tail.listen((facts) => this.hear(facts));
  }

  serve(client: PingedClient, principal: Follower): void {
    const connection = new AgentConnection(this.door, client, principal);
    let underWay = 0;
    const silent = setTimeout(() => {
      if (connection.session === undefined) client.close(closeCodes.badCommand);
    }, introductionMs);
    silent.unref();
    takeFrames(client, agentsRate, (data, isBinary) => {
      if (isBinary || underWay >= maxUnderWay) {
        client.close(closeCodes.badCommand);
        return;
      }
      underWay++;
      void connection
        .receive(data.toString('utf8'))
        .catch((error: unknown) => this.door.onError(error))
        .finally(() => underWay--);
    });
    client.on('close', () => {
      clearTimeout(silent);
      void this.closed(connection);
    });
  }

  private connected(connection: AgentConnection): void {
    const before = this.byAgent.get(connection.agentId);
    this.byAgent.set(connection.agentId, connection);
    before?.close(closeCodes.replaced);
  }

  private async closed(connection: AgentConnection): Promise<void> {
    if (this.byAgent.get(connection.agentId) === connection) this.byAgent.delete(connection.agentId);
    if (connection.session === undefined) return;
    await this.writeOff(connection.agentId, connection.session);
  }

  /** Retries until it succeeds, because messages would wait for an agent that seems to be present. */
  private async writeOff(agentId: string, session: number, timer = new RetryTimer(this.door.hub.clock)): Promise<void> {
    this.unwritten.delete(timer);
    // A hub that goes down says nothing of them: they come back to the next one, and go on.
    if (this.stopping) return;
    try {
      await this.door.hub.engine.submit({ type: 'agent.disconnect', by: platform, agentId, session });
    } catch (error) {
      this.door.onError(error);
      this.unwritten.add(timer);
      timer.retry(() => void this.writeOff(agentId, session, timer));
    }
  }

  stop(): void {
    this.stopping = true;
    for (const timer of this.unwritten) timer.stop();
  }

  private offerAgain(agentId: string | null): void {
    void this.byAgent
      .get(agentId ?? '')
      ?.openOffers()
      .catch((error: unknown) => this.door.onError(error));
  }

  private hear(facts: readonly PlacedFact[]): void {
    for (const fact of facts) {
      if (fact.type === 'token.revoked')
        for (const connection of this.byAgent.values())
          if (connection.tokenId === fact.subject_id) connection.close(closeCodes.unauthenticated);
      const halt = factData(fact, 'workspace.halted');
      if (halt) for (const connection of this.byAgent.values()) connection.notify('halt', halt);
      if (fact.type === 'agent.edited' || fact.type === 'agent.changed') void this.byAgent.get(fact.subject_id ?? '')?.checkSession();
      // Woken up, back from sleep, or come into a room: what anyone may take is offered.
      if (fact.type === 'agent.changed') this.offerAgain(fact.subject_id);
      if (fact.type === 'membership.added' || fact.type === 'agent.returned') this.offerAgain(fact.member_id);
      if (!this.told.has(fact.type)) continue;
      if (!offerTypes.has(fact.type)) this.byAgent.get(fact.member_id ?? '')?.hear(fact);
      else if (fact.member_id === null) for (const connection of this.byAgent.values()) connection.hear(fact);
    }
  }
}
