// Which handler an action has on this side: the calendar, those of the host, those that the person configured; any other name has none.

import type { ProposedAction } from '@parley/protocol/relay';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { calendarEvent } from './calendar-event.ts';
import { channelPost } from './channel-post.ts';
import type { ActionHandler } from './port.ts';
import { tool } from './tool.ts';
import { webhook } from './webhook.ts';

export async function handlerFor(engine: Negotiations, { action }: ProposedAction): Promise<ActionHandler | undefined> {
  const { parts } = engine;
  if (action === 'add_calendar_event') return calendarEvent(parts.calendar, (await engine.profile()).servers ?? [], parts.nameOf);
  const { actions = {} } = parts;
  // A packet may name `constructor`.
  if (Object.hasOwn(actions, action)) return actions[action];
  const configured = ((await engine.profile()).actions ?? []).find(({ name }) => name === action);
  if (!configured) return undefined;
  if (configured.kind === 'channel') return channelPost(configured, parts.channels);
  return configured.kind === 'webhook' ? webhook(configured, parts.fetch ?? fetch) : tool(configured, parts.callTool);
}
