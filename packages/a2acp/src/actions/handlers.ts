// Which handler an action has on this side: the calendar, those of the host, and none for any other name.

import type { ProposedAction } from '@parley/protocol/relay';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { calendarEvent } from './calendar-event.ts';
import type { ActionHandler } from './port.ts';

export async function handlerFor({ parts }: Negotiations, { action }: ProposedAction): Promise<ActionHandler | undefined> {
  if (action === 'add_calendar_event') return calendarEvent(parts.calendar);
  const { actions = {} } = parts;
  // A packet may name `constructor`.
  return Object.hasOwn(actions, action) ? actions[action] : undefined;
}
