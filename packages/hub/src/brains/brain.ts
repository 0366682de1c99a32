// A brain thinks: it gets a turn and returns how the turn ends. It can act only through the turn.

import type { NotesForTurn, Prompt, Signal, Tokens } from '@parley/core';
import { type FailureCode, type ErrorCode, lostTurnCodes } from '@parley/protocol';
import type { MemberRow, TaskRow } from '../store/tables.ts';
import type { AgentReads } from '../turns/agent-reads.ts';

/** A word of the task so far. `text` is what somebody wrote: data, never instructions of the platform. */
export interface TaskWord {
  by: MemberRow | undefined;
  kind: 'request' | 'follow_up' | 'progress' | 'question' | 'answer' | 'decline' | 'signal' | 'result' | 'history';
  /** Empty for a `signal`: it is no text. */
  text: string;
  /** A `signal`: on the words of the agent that `messageId` names. */
  signal?: Signal;
  messageId: string;
  /** The message was edited after it was posted; `text` is the new text. */
  edited?: true;
}

/** The result of a sub-task. */
export interface SubTask {
  task: TaskRow;
  agent: MemberRow | undefined;
  /** Its last words, when it had any: its answer, or what it asks and waits for. */
  words: string | undefined;
  /** The message of the task that has told it already. */
  toldIn?: string | undefined;
}

/** The cost of a step. */
export interface Spent {
  micros: number;
  tokens: Tokens;
}

/** The cost of a step so far, while it runs. */
export interface StepOutcome extends Spent {
  estimated: boolean;
}

export interface BrainStep {
  kind: 'model' | 'tool';
  name: string;
  /** The step changes nothing outside, so it may be repeated. */
  readOnly: boolean;
  /** The other side takes our key and does it once, however often it is asked. */
  keyed?: boolean;
  input?: unknown;
  /** There is no such tool, so nothing happens and no approval is asked for. */
  void?: true;
  /** The most it can cost, in millionths: reserved before it is taken. A turn with less than that left ends. */
  estimate?: number;
  /** Asked if the turn is taken away during the step. */
  soFar?: () => StepOutcome;
}

/** A call that a person was asked about. */
export interface AnsweredCall {
  id: string;
  name: string;
  input: unknown;
}

export interface BrainTurn {
  task: TaskRow;
  me: MemberRow;
  requester: MemberRow | undefined;
  /** The request and all that was said since, in order. */
  words: TaskWord[];
  /** For an agent's request: the pair's earlier exchange, as far as it may be read here (IAC-11). */
  history: TaskWord[];
  /** Its earlier delegations in this task. */
  given: SubTask[];
  /** Calls that a person has approved and that are still to be made: each once, with exactly these arguments. */
  approved: AnsweredCall[];
  /** Calls that a person denied or that nobody answered; `text` says which. */
  refused: (AnsweredCall & { text: string })[];
  /** All of that but `approved` for a model: the platform's words apart from what anybody wrote (C2A-29). */
  prompt(): Prompt;
  read: AgentReads;
  signal: AbortSignal;
  /** Takes the step once: it is recorded before and after, and a resumed turn gets the recorded result. */
  step<T>(step: BrainStep, take: (key: string) => Promise<T>, spent?: (result: T) => Spent): Promise<T>;
  /** The notes of its agent that this turn may have (SYS-6). `reaching`: its tools that hand on without approval what they are given. */
  notes(memory: string, reaching: string[]): Promise<NotesForTurn>;
  /** For the step that is taken: it may cost so much in all, in millionths. Throws where that is not there; the task has ended then. */
  reserve(micros: number): Promise<void>;
  /** Says something on the way; an address in it delegates. `given`: to how many it did. */
  say(text: string): Promise<{ given: number }>;
  /** Shows the text in progress to watchers; it is not stored. */
  draft(text: string): void;
}

/** Thrown by a step that may or may not have happened, after a person was asked and has spoken. */
export class UnknownOutcome extends Error {
  /** The words since the turn began. */
  readonly since: TaskWord[];
  /** A person's decision: the call did happen, or it is dropped. Null if nobody was asked explicitly. */
  readonly answer: 'did' | 'left' | null;
  constructor(name: string, since: TaskWord[], answer: 'did' | 'left' | null = null) {
    super(`Nobody knows whether ${name} happened`);
    this.since = since;
    this.answer = answer;
  }
}

/** The brain failed. The requester reads the reason, so it contains no words of others and no secret. */
export class BrainError extends Error {
  readonly reason: string;
  /** For programs, where somebody can mend it at once. */
  readonly failure: FailureCode | undefined;
  constructor(reason: string, failure?: FailureCode) {
    super(`The brain failed: ${reason}`);
    this.reason = reason;
    this.failure = failure;
  }
}

export type TurnOutcome =
  | { kind: 'answer'; text: string }
  | { kind: 'question'; text: string }
  | { kind: 'decline'; outcome: 'declined' | 'blocked'; reason: string }
  /** Its sub-tasks are still under way. */
  | { kind: 'pause' };

export interface Brain {
  turn(turn: BrainTurn): Promise<TurnOutcome>;
  /** The brain asks no model, so a resumed turn may read everything again: its reads are not journaled. */
  isModelless?: true;
  /** The most that a turn can cost before its first step is settled, in millionths. Without this method: nothing. */
  estimate?(agentId: string): Promise<number>;
  /** Whether this agent has what a turn needs, such as a key. Left out: it has. */
  isAble?(agentId: string): Promise<boolean>;
  /**
   * Whether it is sure to have an answer to what was asked of nobody by name. Decided from the words alone, without a turn. Left
   * out: it takes up nothing on an open floor, and whatever was asked of anyone.
   */
  takesUp?(text: string): boolean;
}

// Tools of a brain in the hub. A tool decides nothing about permission: the hub decides when the call is intended, and the tool's
// command decides again.

export interface ToolResult {
  text: string;
  isError?: true;
}

export interface Tool {
  /** The tool's name for models. */
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
