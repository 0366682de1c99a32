import type { Caller } from './route-context.ts';

/** Whose agents' DMs the caller may look into: their own; undefined: everybody's. */
export function overseerOf({ actor, memberId }: Caller): string | undefined {
  const steward = actor.type === 'member' && (actor.role === 'owner' || actor.role === 'admin');
  return steward ? undefined : (memberId ?? '');
}
