// A task as the judge knows it, and how it may move: said again from scratch, from what was promised and not from the
// code that is judged.

export type State = 'queued' | 'offered' | 'active' | 'waiting' | 'awaiting_approval' | 'awaiting_delegation' | 'ended';

export interface ModelTask {
  id: string;
  chain: string;
  parent: string | null;
  agent: string | null;
  requester: string | null;
  conversation: string;
  message: string;
  outputs: string[];
  addressedBy: string;
  state: State;
  lease: number;
  depth: number;
  path: string[];
  /** That stand: taken, and not let go since. */
  claims: number;
  /** It is anyone’s, and was just opened: that it was offered is not known yet. */
  presumed: boolean;
  /** Who had it until it was released, and is to be told. */
  lost: string | null;
  /** Its end: the fact, and the cause it names. */
  end: { type: string; cause: string } | undefined;
}

/** What somebody has ends in any state; what is offered nobody has. */
const held = { queued: 'ended', active: 'ended', waiting: 'ended', awaiting_approval: 'ended', awaiting_delegation: 'ended' } as const;

export const moves: Record<string, Partial<Record<State, State>>> = {
  'task.offer': { queued: 'offered' },
  'task.claim': { offered: 'queued', queued: 'queued' },
  // A runner that takes up what another left has a new lease and nothing else.
  'task.begin': { queued: 'active', active: 'active' },
  // Before it was begun: by a signal.
  'task.ask': { queued: 'waiting', active: 'waiting' },
  'task.pause': { active: 'awaiting_delegation' },
  'task.await': { active: 'awaiting_approval' },
  'task.resume': { waiting: 'queued', awaiting_approval: 'queued', awaiting_delegation: 'queued' },
  'task.yield': { active: 'queued', offered: 'queued' },
  // Whoever had claimed it has it no more.
  'task.release': { queued: 'queued', active: 'queued', waiting: 'queued', awaiting_approval: 'queued', awaiting_delegation: 'queued' },
  'task.complete': { queued: 'ended', active: 'ended' },
  'task.decline': held,
  'task.fail': held,
  'task.time_out': { ...held, offered: 'ended' },
  'task.cancel': { ...held, offered: 'ended' },
};

/** As what the requester is told of an end; an answer and a refusal speak for themselves. */
export const toldAs: Record<string, string> = {
  'task.fail': 'task_failed',
  'task.time_out': 'task_timed_out',
  'task.cancel': 'task_stopped',
};

/** Whether `child` ended because `parent` did: time runs out for all alike, anything else leaves those below unwanted. */
export const endedWith = (child: ModelTask, parent: ModelTask): boolean =>
  parent.end?.type === 'task.time_out'
    ? child.end?.type === 'task.time_out' && child.end.cause === parent.end.cause
    : child.end?.cause === 'parent_ended';

/** Marks that say nothing. */
export const smiles: ReadonlySet<string> = new Set(['🎉']);
/** What an agent's mark on its request does, by the glyph. */
export const signals = { completes: ['👍', '✅'], declines: ['🙅'], asks: ['🚧', '❓'] } as const;
/** Where an answer is not owed, having seen it is enough. */
export const putsAway: readonly string[] = [...signals.completes, '👀'];
