// The audience of a fact, and how much of it they see (SYS-9, SYS-11). A fact reaches only those who could read it by
// asking, live or when they catch up. The conversation is as it is now, the membership as it was at the fact.

export interface HeardFact {
  scope: 'workspace' | 'conversation' | 'member' | 'record';
  /** Its place in the stream. */
  seq: number;
  /** Facts about a message: the message's own place, which may be long before. */
  messageSeq?: number | undefined;
  /** The conversation it is about or was heard in. */
  conversation?: { visibility: 'public' | 'private'; history: 'all' | 'joined' } | undefined;
}

export interface Hearer {
  /** Sees the facts for the whole workspace, and public channels they are not in. */
  browses: boolean;
  /** The place at which they joined the conversation; undefined: they are not in it. */
  joinedSeq: number | undefined;
  /** The fact is about them. */
  subject: boolean;
}

/** `hidden`: only that it is no longer theirs to see. */
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
      const old = fact.messageSeq !== undefined && fact.messageSeq < hearer.joinedSeq;
      return old && fact.conversation?.history === 'joined' ? 'nothing' : 'whole';
    }
  }
}

// No confused deputy (SYS-9): inside a task an agent reads only what the chain's requester may read as well, and only
// what everyone who will hear its answer may read. So no question, however put, carries a word from one room into
// another whose members were not in the first.

export interface Readable {
  /** Public channels are read by every member of the workspace who is not a guest. */
  public: boolean;
  /** Where history begins on joining. */
  fromJoining: boolean;
  /** Place in the stream at which each member joined; undefined: not in it. */
  joinedSeq: (memberId: string) => number | undefined;
}

export interface ReadingScope {
  id: string;
  guest: boolean;
}

export interface Audience {
  readers: Iterable<ReadingScope>;
  /** It is said in public, where people hear it who are not there. */
  open: boolean;
}

/** The place in the stream from which all of them may read it; undefined: some of them may not at all. */
export function readableFrom(conversation: Readable, { readers, open }: Audience): number | undefined {
  if (open && !conversation.public) return undefined;
  let from = 0;
  let anyone = false;
  for (const { id, guest } of readers) {
    anyone = true;
    const joined = conversation.joinedSeq(id);
    if (joined === undefined && (guest || !conversation.public)) return undefined;
    if (conversation.fromJoining) from = Math.max(from, joined ?? Number.MAX_SAFE_INTEGER);
  }
  // Nobody to ask for is nobody to read for.
  return anyone ? from : undefined;
}
