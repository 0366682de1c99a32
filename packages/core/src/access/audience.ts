// The audience of a fact, and how much of it they see (SYS-9, SYS-11). Live or later, a fact reaches only those who could also query it.
// The conversation counts as it is now, the membership as it was at the fact.

export interface HeardFact {
  scope: 'workspace' | 'conversation' | 'member' | 'record';
  /** The fact's sequence number. */
  seq: number;
  /** For facts about a message: the message's own sequence number, which may be much lower. */
  messageSeq?: number | undefined;
  /** The conversation that the fact is about or came from. */
  conversation?: { visibility: 'public' | 'private'; history: 'all' | 'joined' } | undefined;
}

export interface Hearer {
  /** Sees the facts for the whole workspace, and public channels they are not in. */
  browses: boolean;
  /** The sequence number at which they joined the conversation; undefined for a non-member. */
  joinedSeq: number | undefined;
  /** The fact is about them. */
  subject: boolean;
}

/** `hidden`: they learn only that they may no longer see it. */
export type FactVisibility = 'whole' | 'hidden' | 'nothing';

export function visibilityOf(fact: HeardFact, hearer: Hearer): FactVisibility {
  switch (fact.scope) {
    case 'record':
      return 'nothing';
    case 'member':
      return hearer.subject ? 'whole' : 'nothing';
    case 'workspace':
      if (!hearer.browses) return hearer.subject ? 'whole' : 'nothing';
      // A channel that was public when this happened and is private now is shown as it is now: to its members.
      return fact.conversation?.visibility === 'private' && hearer.joinedSeq === undefined ? 'hidden' : 'whole';
    case 'conversation': {
      if (hearer.subject) return 'whole';
      if (hearer.joinedSeq === undefined || fact.seq < hearer.joinedSeq) return 'nothing';
      const isBeforeJoining = fact.messageSeq !== undefined && fact.messageSeq < hearer.joinedSeq;
      return isBeforeJoining && fact.conversation?.history === 'joined' ? 'nothing' : 'whole';
    }
  }
}
