// The sender of an event. An event's source is the sender's own word; the way it came in is known.

import { type EventSender, senderIn } from '@parley/protocol';
import { inLine, escapeInvisible } from '../model/prompt-blocks.ts';

const own = (via: EventSender['via']): boolean => via === 'schedule' || via === 'absence' || via === 'invocation';

/** After "the event X": by its own name where there is nothing else to say. */
export function sentText(source: string, { via, sourceId, by }: EventSender): string {
  const named = inLine(source);
  if (sourceId === source) return `of the source ${named}`;
  if (sourceId !== null) return `sent by the source ${inLine(sourceId)}, which calls itself ${named}`;
  if (own(via)) return `of the source ${named}, the platform’s own`;
  if (senderIn(source) !== undefined) return `sent by ${by ?? 'a member'}`;
  return `of the source ${named}, as sent by ${by ?? 'the operator of the hub'}`;
}

/** Among the platform's own lines: the name it gives itself is quoted. */
export function senderText(source: string, { via, sourceId, by }: EventSender): string {
  const named = escapeInvisible(JSON.stringify(source));
  if (sourceId === source) return `the source ${inLine(sourceId)}`;
  if (sourceId !== null) return `the source ${inLine(sourceId)}, which calls itself ${named}`;
  if (own(via)) return `the platform itself (${via})`;
  if (senderIn(source) !== undefined) return by ?? 'a member';
  return `${by ?? 'the operator of the hub'}, as the source ${named}`;
}
