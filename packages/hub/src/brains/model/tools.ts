// Calls of tools, each a step of the turn. The outcome of a call is text for the model; only an error that ends the turn is
// thrown.

import { contactResults, cutText } from '@parley/core';
import { ParleyError } from '@parley/protocol';
import { ApprovalDenial, NeedsApproval } from '../../executor/journal.ts';
import { type BrainStep, type BrainTurn, UnknownOutcome, type Tool, type ToolResult, turnEndingCodes } from '../brain.ts';
import type { ModelToolCall } from './call.ts';
import type { ModelLimits } from './limits.ts';
import { plainName, unknownText } from './system-prompt.ts';

export interface Hands {
  turn: Pick<BrainTurn, 'step' | 'signal'>;
  tools: ReadonlyMap<string, Tool>;
  limits: ModelLimits;
  mark: string;
}

export async function makeCall(call: ModelToolCall, { turn, tools, limits, mark }: Hands): Promise<string> {
  const tool = tools.get(call.name);
  // A name that a model made up is words, and facts are kept when words are not.
  const name = tool ? plainName(call.name) : 'unknown';
  // An unknown tool is recorded too, so that a resumed turn counts the same steps.
  const step: BrainStep =
    tool && !call.broken
      ? { kind: 'tool', name, readOnly: tool.readOnly, keyed: tool.keyed, input: call.input }
      : { kind: 'tool', name, readOnly: true, void: true, input: call.input };
  try {
    const { text } = await turn.step(step, (key) => take(call, tool, key, turn.signal, limits));
    return text;
  } catch (error) {
    if (error instanceof UnknownOutcome) return unknownText(name, error, mark);
    if (error instanceof NeedsApproval || (error instanceof ParleyError && error.code === 'needs_approval'))
      return contactResults.waiting();
    if (error instanceof ParleyError && error.code === 'not_shared') return `Error: ${error.message}`;
    if (error instanceof ApprovalDenial) return `Approval denied for ${name}.`;
    throw error;
  }
}

async function take(
  call: ModelToolCall,
  tool: Tool | undefined,
  key: string,
  signal: AbortSignal,
  limits: ModelLimits,
): Promise<ToolResult> {
  if (!tool) return errorResult('There is no such tool.');
  if (call.broken) return errorResult('The arguments are not JSON.');
  try {
    const { text, isError } = await tool.run(call.input, { key, signal });
    return { text: cutText(text, limits.toolLetters), ...(isError ? { isError } : {}) };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ParleyError && turnEndingCodes.has(error.code)) throw error;
    // A refusal is in the platform's words; any other error may say what is nobody's business.
    return errorResult(error instanceof ParleyError ? error.message : 'The tool failed.');
  }
}

const errorResult = (text: string): ToolResult => ({ text: `Error: ${text}`, isError: true });
