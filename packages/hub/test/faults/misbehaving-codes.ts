// What those who misbehave are to be told, in one place: what is recorded, what must have come about, what differs by
// door.

/** Refusals of words: each of them is to be a fact. */
export const recorded = [
  'agent_without_task',
  'task_of_another',
  'task_over',
  'task_not_active',
  'task_elsewhere',
  'stale_lease',
  'halted',
] as const;

/** What becomes of `^ALL` and `^ANY` in an agent's word: whether it opens tasks, and as what it is flagged to the agent. */
export const callsToEveryone: { open: boolean; flag: string | undefined } = { open: true, flag: undefined };

/** What each command of an agent has been refused with at least once, when there were enough of them. */
export const refusedWith: Record<string, readonly string[]> = {
  'task.say': [...recorded, 'key_reused', 'archived'],
  'task.begin': ['already_claimed', 'not_offered', 'agent_busy', 'task_of_another', 'task_over', 'task_not_active', 'halted'],
  'task.decline': ['task_of_another', 'task_over', 'stale_lease', 'halted', 'archived'],
  'task.pause': ['task_over', 'stale_lease', 'task_not_active', 'invalid_request'],
  'message.post': ['unauthenticated', 'forbidden'],
};

/** Of those, what even a few thousand steps come to. */
export const refusedSoon: Record<string, readonly string[]> = {
  'task.say': ['agent_without_task', 'task_of_another', 'task_over', 'task_not_active', 'task_elsewhere', 'stale_lease', 'halted'],
  'task.begin': ['already_claimed', 'not_offered', 'agent_busy', 'task_of_another', 'task_over'],
  'task.decline': ['task_of_another', 'stale_lease'],
  'task.pause': ['stale_lease', 'invalid_request'],
  'message.post': ['unauthenticated', 'forbidden'],
};

/** At each door, what whoever comes through it has been told. */
export const atDoors: Record<'http' | 'socket', Record<string, readonly string[]>> = {
  http: { 'task.say': ['agent_without_task'] },
  socket: { 'task.say': ['ok'] },
};
