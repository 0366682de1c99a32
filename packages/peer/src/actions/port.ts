// The actions that a peer can run for a confirmed proposal. A packet only names an action; the person and the host decide which actions
// exist (A2C-29).

import type { FreeFields, ProposedAction } from '@parley/protocol/relay';

/** One action of a confirmed proposal, as the journal stores it. */
export interface ActionCall {
  /** The same for all attempts of one action, so that its effect happens only once. */
  key: string;
  threadId: string;
  /** The address of the other person's peer. */
  peer: string;
  /** In a group: the addresses of everybody else. */
  others?: string[];
  action: ProposedAction;
  /** The summary of the proposal that both people confirmed. */
  summary: string;
  details: FreeFields;
  now: number;
  /** An earlier attempt began, and nobody knows how it ended. A handler that cannot repeat itself throws. */
  isRepeated: boolean;
}

/**
 * `run` throws an `ActionRefused` if nothing has happened. After any other error the effect may exist, so the peer undoes the action.
 * `undo` may therefore get calls without an effect, and removes only what it finds. Without `undo` an action is irreversible.
 */
export interface ActionHandler {
  run: (call: ActionCall) => Promise<void>;
  undo?: (call: ActionCall) => Promise<void>;
  /** The action calls another machine, which may be slow. The peer continues with other work meanwhile. */
  isRemote?: boolean;
}

/** The handlers by the names of their actions. */
export type ActionHandlers = Readonly<Record<string, ActionHandler>>;

/** The action certainly did not happen. Both people read the text. */
export class ActionRefused extends Error {}
