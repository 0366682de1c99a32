// The audience of an offer (PAP-4, C2A-15). `^ANY` is for every agent in the room, a role for those who hold it. Asked when
// the offer is opened, when somebody comes, goes, sleeps or wakes, when a socket sends it, and when it is claimed.

export interface Taker {
  id: string;
  active: boolean;
  /** The agent is connected, or runs inside the hub. */
  here: boolean;
  asleep: boolean;
  /** In the room where it was asked for; a thread's is the one it hangs in. */
  member: boolean;
  /** The agent was asked to leave there: only its own name brings it back. */
  askedToLeave?: boolean;
  /** The agent's owner has blocked the requester. */
  blocks?: boolean;
  /** The request lies before what it may read there. */
  before: boolean;
  /** The same words asked it by name. */
  calledByName: boolean;
  /** The agent holds the role that was called; `^ANY` is for everyone. */
  holds?: boolean;
  /** A question in a thread is for those who take part in it; false: this one does not. */
  partakes?: boolean;
  /** The agent had the task, and declined or did nothing. */
  letGo?: boolean;
  /** An agent asked, and may not call this one (IAC-12). */
  barred?: boolean;
}

export interface OfferFacts {
  requesterId: string | null;
  /** Agents from the chain's root down to the requester. */
  path: readonly string[];
  /** The requester may still be writing. */
  composing?: boolean;
}

export function mayTake(agent: Taker, task: OfferFacts) {
  const refused = <R extends string>(reason: R) => ({ ok: false, reason }) as const;
  if (!agent.active) return refused('not_active');
  if (!agent.member) return refused('not_member');
  if (agent.askedToLeave) return refused('left');
  if (agent.blocks) return refused('blocked');
  if (task.requesterId === agent.id) return refused('own');
  if (task.path.includes(agent.id)) return refused('in_path');
  if (agent.before) return refused('before_joining');
  if (agent.holds === false) return refused('no_holder');
  if (agent.partakes === false) return refused('not_in_thread');
  if (agent.barred) return refused('not_permitted');
  if (agent.calledByName) return refused('asked_by_name');
  if (agent.letGo) return refused('let_go');
  if (!agent.here) return refused('offline');
  if (agent.asleep) return refused('asleep');
  if (task.composing) return refused('composing');
  return { ok: true } as const;
}

/** An offer that becomes a task by a claim. */
export const isAnyones = (addressedBy: string): boolean => addressedBy === 'any_agent' || addressedBy === 'role';

/**
 * A claim ends. An agent that declined, or let its time pass, is not asked again; one that went offline may take it when it is
 * back. With nobody left to ask the offer is over, except that it waits for one that only went offline.
 */
export function afterClaim(why: 'declined' | 'expired' | 'gone', others: number): 'offer' | 'wait' | 'end' {
  if (others > 0) return 'offer';
  return why === 'gone' ? 'wait' : 'end';
}

/** A knock's topic, of the platform's own making (C2A-5): a role's handle and the kind of place, and no word besides. */
export const topicOf = (roleHandle: string, place: 'dm' | 'channel' | 'thread'): string =>
  `role ${roleHandle} called in a ${place === 'dm' ? 'direct message' : place}`;

/** The topic of a reminder that somebody waits. */
export const obligationTopic = (place: 'dm' | 'channel' | 'thread'): string =>
  `someone is waiting for your answer in a ${place === 'dm' ? 'direct message' : place}`;

/**
 * `^ANY` beside names ("^ORAC or ^ANY"): the named agents have been asked, so the offer is for the others. If none of them
 * could take it now, a named agent that is present is enough; if nobody is present at all, it waits for the first to come.
 */
export function offerBeside(named: readonly { here: boolean }[], others: readonly { able: boolean }[]): 'offer' | 'wait' | 'none' {
  if (others.some(({ able }) => able)) return 'offer';
  if (named.some(({ here }) => here)) return 'none';
  // Work that waits for a named agent need not wait for any agent as well.
  return named.length > 0 && others.length === 0 ? 'none' : 'wait';
}
