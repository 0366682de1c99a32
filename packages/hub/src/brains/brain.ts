// What thinks. A brain is given a turn and returns how it ends; it has no other way to act than the turn's own.

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
  /** It was edited since it was said; `text` is what it says now. */
  edited?: true;
}

/** What became of a sub-task. */
export interface SubTask {
  task: TaskRow;
  agent: MemberRow | undefined;
  /** Its last words, when it had any: its answer, or what it asks and waits for. */
  words: string | undefined;
  /** The message of the task that has told it already. */
  toldIn?: string | undefined;
}

/** What a step has cost. */
export interface Spent {
  micros: number;
  tokens: Tokens;
}

/** What is known of it while it is still under way. */
export interface StepOutcome extends Spent {
  estimated: boolean;
}

export interface BrainStep {
  kind: 'model' | 'tool';
  name: string;
  /** It changes nothing outside: it may be taken again. */
  readOnly: boolean;
  /** The other side takes our key and does it once, however often it is asked. */
  keyed?: boolean;
  input?: unknown;
  /** It comes to nothing, as there is no such tool: nobody is asked whether it may. */
  void?: true;
  /** The most it can cost, in millionths: reserved before it is taken. A turn with less than that left ends. */
  estimate?: number;
  /** Asked when the turn is taken away in the middle of it. */
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
  /** What was asked, what was said since, in order. */
  words: TaskWord[];
  /** Of an agent's request: what the two said to each other before, as far as it may be known here (IAC-11). */
  history: TaskWord[];
  /** Its earlier delegations in this task. */
  given: SubTask[];
  /** Calls that a person has approved and that are still to be made: each once, with exactly these arguments. */
  approved: AnsweredCall[];
  /** Those a person has said no to, or nobody has answered; `text` says which. */
  refused: (AnsweredCall & { text: string })[];
  /** All of that but `approved` for a model: the platform's words apart from what anybody wrote (C2A-29). */
  prompt(): Prompt;
  read: AgentReads;
  signal: AbortSignal;
  /** Taken once: written down before and after; a turn that is gone on with gets the result it had. */
  step<T>(step: BrainStep, take: (key: string) => Promise<T>, spent?: (result: T) => Spent): Promise<T>;
  /** The notes of its agent that this turn may have (SYS-6). `reaching`: its tools that hand on without approval what they are given. */
  notes(memory: string, reaching: string[]): Promise<NotesForTurn>;
  /** For the step that is taken: it may cost so much in all, in millionths. Throws where that is not there; the task has ended then. */
  reserve(micros: number): Promise<void>;
  /** Says something on the way; an address in it delegates. `given`: to how many it did. */
  say(text: string): Promise<{ given: number }>;
  /** What is being written, for those who watch; not kept. */
  draft(text: string): void;
}

/** Thrown by a step that may or may not have happened, after a person was asked and has spoken. */
export class UnknownOutcome extends Error {
  /** What was said since the turn began. */
  readonly since: TaskWord[];
  /** What a person said of it: it did happen, or it is left. Null: nobody was asked in so many words. */
  readonly answer: 'did' | 'left' | null;
  constructor(name: string, since: TaskWord[], answer: 'did' | 'left' | null = null) {
    super(`Nobody knows whether ${name} happened`);
    this.since = since;
    this.answer = answer;
  }
}

/** It could not, and says why. The requester reads it, so the reason has nothing in it that anybody wrote, and no secret. */
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
  /** What a turn of this agent can cost before its first step is settled, in millionths. Left out: nothing. */
  estimate?(agentId: string): Promise<number>;
  /** Whether this agent has what a turn needs, such as a key. Left out: it has. */
  isAble?(agentId: string): Promise<boolean>;
  /**
   * Whether it is sure to have an answer to what was asked of nobody by name. Decided from the words alone, without a turn. Left
   * out: it takes up nothing on an open floor, and whatever was asked of anyone.
   */
  takesUp?(text: string): boolean;
}

// What a brain that runs in the hub can do besides speaking. A tool decides nothing about permission: whether a call may be
// made is decided where it is intended, and by the command it makes.

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
