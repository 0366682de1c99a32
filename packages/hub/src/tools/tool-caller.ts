// The caller of a tool: an agent inside a task, under its lease. The hub's services for the tools are here too.

import { type ErrorCode, ParleyError, problemText } from '@parley/protocol';
import { type Tool, turnEndingCodes } from '../brains/brain.ts';
import type { Clock } from '../clock.ts';
import type { By } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';
import type { NegotiationCall } from '../peers/open-negotiation.ts';
import type { Store } from '../store/port.ts';
import type { AgentContact } from './contact-calls.ts';

export interface ToolHub {
  store: Store;
  engine: Engine;
  clock: Clock;
  /** Contacts another agent. */
  contact: (call: AgentContact, signal: AbortSignal) => Promise<string>;
  /** Lets the peer of the person behind the agent negotiate. */
  negotiate: (call: NegotiationCall) => Promise<string>;
}

export interface HeldTask {
  by: By;
  agentId: string;
  taskId: string;
  lease: number;
}

export interface AtWork extends HeldTask {
  hub: ToolHub;
}

export type Call = Parameters<Tool['run']>[1];

/** A brain could do nothing better with another call: these are its connection's to handle. */
const fatal: ReadonlySet<ErrorCode> = new Set([...turnEndingCodes, 'unauthenticated', 'rate_limited', 'internal']);

/** A refusal that the agent can do something about is an answer to it. */
export function refusalText(error: unknown): string {
  if (!(error instanceof ParleyError) || fatal.has(error.code)) throw error;
  return `Error: ${problemText(error.problems) || error.message} (${error.code})`;
}
