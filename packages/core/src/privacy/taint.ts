// The texts that a turn has read decide what it may do without approval (SYS-13). Words of the requester are their own risk; words
// from anywhere else may be somebody else's instructions in disguise. After them, an act that reaches further than the task
// needs a person's approval.

export type TaintSource =
  | { kind: 'member'; id: string } // somebody's message, other than the agent's own
  | { kind: 'tool'; name: string }
  | { kind: 'event'; id: string }
  | { kind: 'peer'; address: string };

export interface Trust {
  /** Who began the chain, and so answers for it. */
  chainRequesterId: string | null;
  /** The agent itself: its own earlier words add nothing. */
  agentId: string;
}

export const taints = (source: TaintSource, { chainRequesterId, agentId }: Trust): boolean =>
  source.kind !== 'member' || (source.id !== chainRequesterId && source.id !== agentId);

export type TaintedAct =
  | { kind: 'read' }
  | { kind: 'say'; granted: boolean }
  | { kind: 'contact'; granted: boolean } // wakes another agent
  | { kind: 'write'; granted: boolean }; // a tool that changes something outside

/** Reading stays as free as the task's requester is; the rest only where the task was given leave beforehand. */
export const needsApproval = (tainted: boolean, deed: TaintedAct): boolean => tainted && deed.kind !== 'read' && !deed.granted;

/**
 * The requester who answers for a chain that an invocation of this owner joins: null if triggers of several are in it, as none
 * of them answers for what the others' agents do.
 */
export const answersWith = (requesterId: string | null, ownerId: string): string | null => (requesterId === ownerId ? requesterId : null);
