// What a brain that runs in the hub can do besides speaking. A tool decides nothing about permission: whether a call may be
// made is decided where it is intended, and by the command it makes.

import { type ErrorCode, lostTurnCodes } from '@parley/protocol';
import type { BrainTurn } from './brain.ts';

export interface ToolResult {
  text: string;
  isError?: true;
}

export interface Tool {
  /** As a model calls it. */
  name: string;
  description: string;
  /** JSON Schema of its arguments. */
  input: Record<string, unknown>;
  readOnly: boolean;
  /** The other side takes our key and does it once. */
  keyed: boolean;
  run(input: unknown, call: { key: string; signal: AbortSignal }): Promise<ToolResult>;
}

/** The turn is lost, or the hub cannot write: the call is not what went wrong, so the model is not told of it. */
export const turnEndingCodes: ReadonlySet<ErrorCode> = new Set([...lostTurnCodes, 'unavailable', 'storage_full', 'corrupt']);

/** The tools of the agent whose turn it is. */
export type ToolsFor = (turn: BrainTurn) => Promise<Tool[]>;
