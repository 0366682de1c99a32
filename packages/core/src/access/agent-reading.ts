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
