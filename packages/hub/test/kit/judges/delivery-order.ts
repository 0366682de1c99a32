// What an agent was told over its socket, held to what was promised (C2A-30): in order, each once on one line, and again
// from the last acknowledgement on the next.

import type { AgentEvent } from '@parley/protocol';

export interface Told {
  cursor: number;
  event: Pick<AgentEvent, 'eventId' | 'kind' | 'conversation'>;
}

const placeOf = (eventId: string): number => Number(eventId.split(':')[1]);

/** One line of an agent; `from`: what the hub knew to be acknowledged when it began. */
export function outOfOrder(who: string, from: number, told: readonly Told[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  const inRoom = new Map<string, number>();
  let last = from;
  for (const { cursor, event } of told) {
    const what = `${event.kind} ${event.eventId} at ${cursor} to ${who}`;
    // What is offered is not kept for who is not there: it stands where the last thing told stands, or a later one that needed no telling.
    if (event.kind === 'offer') {
      if (cursor < last) problems.push(`${what} is out of order: ${last} was told before`);
      last = Math.max(last, cursor);
      continue;
    }
    const place = placeOf(event.eventId);
    if (cursor <= last) problems.push(`${what} is out of order: ${last} was told before`);
    if (place !== cursor) problems.push(`${what} has its place at ${place}`);
    if (seen.has(event.eventId)) problems.push(`${what} was told before on the same line`);
    const before = inRoom.get(event.conversation.id) ?? 0;
    if (place <= before) problems.push(`${what} is out of order in its conversation: ${before} was told before`);
    seen.add(event.eventId);
    inRoom.set(event.conversation.id, place);
    last = Math.max(last, cursor);
  }
  return problems;
}
