// What a side can do when a proposal is confirmed. A packet can only name an action; the person and the host decide which ones exist (A2C-29).

import type { FreeFields, ProposedAction } from '@parley/protocol/relay';

/** One action of a confirmed proposal, as it is in the journal. */
export interface ActionCall {
  /** The same at every attempt, and different for every action: an effect under one key happens once. */
  key: string;
  threadId: string;
  /** The address of the other person's peer. */
  peer: string;
  /** In a group: the addresses of everybody else. */
  others?: string[];
  action: ProposedAction;
  /** Of the proposal that both people confirmed. */
  summary: string;
  details: FreeFields;
  now: number;
  /** An earlier attempt began, and nobody knows how it ended. A handler that cannot repeat itself throws. */
  isRepeated: boolean;
}

/**
 * `run` throws an `ActionRefused` where nothing has happened. After any other error the effect may be there, so it is undone. `undo` also
 * gets calls whose effect never happened, and removes what it finds. Without `undo` an action is irreversible.
 */
export interface ActionHandler {
  run: (call: ActionCall) => Promise<void>;
  undo?: (call: ActionCall) => Promise<void>;
  /** It reaches another machine, which may take its time: the peer goes on with other things meanwhile. */
  isRemote?: boolean;
}

/** By action name. */
export type ActionHandlers = Readonly<Record<string, ActionHandler>>;

/** The action did not happen, for sure. Both people read the text. */
export class ActionRefused extends Error {}
