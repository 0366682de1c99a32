// Prevents a confused deputy (SYS-9): inside a task an agent reads only messages that the chain's requester may read too, and so may
// everyone who will read its answer. So no question can carry a text from one conversation into another with other members.

export interface Readable {
  /** Every member of the workspace except guests may read a public channel. */
  public: boolean;
  /** Whether members read only the messages after they joined. */
  fromJoining: boolean;
  /** The sequence number at which a member joined; undefined for a non-member. */
  joinedSeq: (memberId: string) => number | undefined;
}

export interface ReadingScope {
  id: string;
  guest: boolean;
}

export interface Audience {
  readers: Iterable<ReadingScope>;
  /** The answer is posted in public, where others read it later. */
  open: boolean;
}

/** The sequence number from which all readers may read the conversation; undefined if some may not read it at all. */
export function readableFrom(conversation: Readable, { readers, open }: Audience): number | undefined {
  if (open && !conversation.public) return undefined;
  let from = 0;
  let hasReaders = false;
  for (const { id, guest } of readers) {
    hasReaders = true;
    const joined = conversation.joinedSeq(id);
    if (joined === undefined && (guest || !conversation.public)) return undefined;
    if (conversation.fromJoining) from = Math.max(from, joined ?? Number.MAX_SAFE_INTEGER);
  }
  return hasReaders ? from : undefined;
}
