// What a person reads who asks why an agent spoke that an event had woken.

import { shown } from './prompt.ts';

interface WokenBy {
  invocationId: string;
  triggerId: string | null;
  event: { id: string; type: string; source: string } | null;
}

/** Ids and sources are the sender's to choose: none makes a line of its own here. */
const inLine = (text: string): string => shown(text).replaceAll(/\s+/g, ' ');

export function provokedText({ invocationId, triggerId, event }: WokenBy): string {
  const trigger = triggerId === null ? '' : `, started by the trigger ${inLine(triggerId)}`;
  const of = event === null ? '' : ` on the event ${inLine(event.id)} (${inLine(event.type)}) of the source ${inLine(event.source)}`;
  return `It was posted by the invocation ${invocationId}${trigger}${of}.`;
}
