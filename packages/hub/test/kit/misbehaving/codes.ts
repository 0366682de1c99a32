// What those who misbehave are to be told, in one place: what is recorded, what must have come about, what differs by
// door.

/** Refusals of words: each of them is to be a fact. */
export const recorded = [
  'agent_without_task',
  'task_of_another',
  'asked_to_leave',
  'adds_nothing',
  'task_over',
  'task_not_active',
  'task_elsewhere',
  'must_not_respond',
  'stale_lease',
  'halted',
  'archived',
] as const;

/** What becomes of `^ALL` and `^ANY` in an agent's word: whether it opens tasks, and as what it is flagged to the agent. */
export const callsToEveryone: { open: boolean; flag: string | undefined } = { open: false, flag: 'one_responder' };

/** What each command of an agent has been refused with at least once, when there were enough of them. */
export const refusedWith: Record<string, readonly string[]> = {
  'task.say': [...recorded, 'key_reused'],
  'task.begin': ['already_claimed', 'not_offered', 'agent_busy', 'task_of_another', 'task_over', 'task_not_active', 'halted', 'composing'],
  'task.decline': ['task_of_another', 'task_over', 'stale_lease', 'halted'],
  'task.pause': ['task_over', 'stale_lease', 'task_not_active', 'invalid_request'],
  'message.post': ['unauthenticated', 'forbidden'],
  'message.assign': ['forbidden', 'not_found'],
  'round.claim': ['not_offered', 'already_claimed', 'not_found'],
  'round.pass': ['not_offered', 'already_claimed'],
  // `forbidden`: it is its own, or it was never told of it.
  'message.react': ['forbidden', 'asked_to_leave', 'already_deleted', 'stale_lease', 'task_not_active', 'halted', 'composing', 'not_found'],
  'obligation.discharge': ['not_found', 'forbidden'],
  'obligation.signal': ['not_found', 'forbidden'],
  'checkpoint.close': ['forbidden', 'invalid_request'],
  'leave.ask': ['invalid_request'],
  'contact.start': [
    'refused',
    'awaiting_approval',
    'denied',
    'stale_lease',
    'task_of_another',
    'task_over',
    'task_not_active',
    'halted',
    'key_reused',
  ],
  'contact.rule': ['forbidden', 'invalid_request'],
};

/** What must have happened besides, when there were enough of them: facts, and why tasks ended. */
export const attended: readonly string[] = [
  'agent.left',
  'agent.returned',
  'task.ready',
  'task.release',
  'task.lost',
  'task.signal',
  'task.corrected',
  'round.asked',
  'claim.refused',
  'message.assigned',
  'task.knocked',
  'obligation.opened',
  'obligation.returned',
  'obligation.raised',
  'obligation.discharged',
  'checkpoint.opened',
  'checkpoint.closed',
  'task.decline because no_progress',
  'task.complete because signalled',
  'task.time_out because nobody_took_it',
  'task.cancel because request_deleted',
  'task.cancel because request_edited',
  'task.cancel because asked_to_leave',
  'task.cancel because already_handled',
  'task.cancel because settled',
  ...['bad_call', 'unknown', 'self', 'bounds', 'denied', 'denied_for_all', 'needs_approval', 'no', 'away'].map(
    (why) => `contact.refused ${why}`,
  ),
  ...['approve', 'deny', 'always'].map((choice) => `approval.answered ${choice}`),
  'contact.approved',
  'contact.timed_out',
  'task.approval',
];

/** Of those, too. */
export const attendedSoon = [
  'round.asked',
  'message.assigned',
  'agent.left',
  'task.ready',
  'task.release',
  'obligation.opened',
  'task.complete because signalled',
  'contact.refused needs_approval',
  'contact.refused away',
  'approval.answered approve',
  'task.resume awaiting_approval',
  'task.resume awaiting_delegation',
] as const;

/** Of those, what even a few thousand steps come to. */
export const refusedSoon: Record<string, readonly string[]> = {
  'task.say': ['agent_without_task', 'task_of_another', 'task_over', 'task_not_active', 'task_elsewhere', 'stale_lease'],
  'task.begin': ['already_claimed', 'not_offered', 'agent_busy', 'task_of_another', 'task_over'],
  'task.decline': ['task_of_another', 'stale_lease'],
  'task.pause': ['stale_lease', 'invalid_request'],
  'message.post': ['unauthenticated', 'forbidden'],
  'message.react': ['forbidden', 'stale_lease'],
  'obligation.discharge': ['not_found'],
  'contact.start': ['refused', 'awaiting_approval', 'stale_lease', 'task_of_another', 'task_over', 'task_not_active'],
};

type Codes = Readonly<Record<string, readonly string[]>>;

/** At each door, what whoever came through it was told, in a thousand steps. */
export const atDoors: Readonly<Record<'http' | 'socket', Codes>> = {
  http: {
    'task.say': ['ok', 'agent_without_task', 'task_of_another', 'task_over', 'task_not_active', 'stale_lease'],
    'task.begin': ['ok', 'not_found', 'agent_busy', 'already_claimed'],
    'task.decline': ['task_of_another'],
    // An agent's token, whatever name it is to go by: a word in no task.
    'message.post': ['ok', 'agent_without_task'],
  },
  socket: {
    'task.say': ['ok', 'task_of_another', 'task_not_active', 'stale_lease'],
    'task.begin': ['ok', 'agent_busy', 'not_offered'],
    'task.decline': ['task_of_another'],
    'agent.ack': ['invalid_request'],
    'contact.start': ['ok', 'refused', 'task_of_another'],
  },
};

/** And in some thousands. */
export const atDoorsLater: typeof atDoors = {
  http: {
    'task.say': ['task_elsewhere'],
    'task.begin': ['task_over'],
    'task.stop': ['ok', 'forbidden'],
    'task.redirect': ['forbidden'],
  },
  socket: {
    'task.say': ['task_elsewhere', 'task_over'],
    'task.begin': ['already_claimed', 'task_of_another'],
    'task.pause': ['ok', 'invalid_request'],
    'contact.start': ['awaiting_approval', 'stale_lease'],
  },
};

/** For people alone: an agent that asks for it at a door is told so. Seldom each, often together. */
export const forPeople = ['agent.edit', 'member.edit', 'dm.open', 'conversation.edit', 'message.edit', 'message.delete'];
