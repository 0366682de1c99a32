// Which handler an action has on this side: the calendar, those of the host, those that the person configured; any other name has none.

import type { ProposedAction } from '@parley/protocol/relay';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { type ActionHandler, ActionRefused, type ActionCall } from './port.ts';
import { webhook } from './webhook.ts';
import type { CalendarServer, PersonalCalendar } from '../negotiate/personal-calendar.ts';
import { eventTitle, type NameOf } from './agreed-texts.ts';
import { PeerCallError } from '@parley/protocol';
import type { ConfiguredAction } from './configured-actions.ts';

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

// The action `add_calendar_event`: the agreed time, in the person's own calendar.

const calendarEvent = (calendar: PersonalCalendar, servers: readonly CalendarServer[], nameOf?: NameOf): ActionHandler => ({
  isRemote: servers.length > 0,
  run: async (call) => {
    const { key, details, now } = call;
    const { start, end, location } = details;
    const [from, to] = [start, end].map((time) => (typeof time === 'string' ? Date.parse(time) : NaN)) as [number, number];
    if (!(to > from)) throw new ActionRefused('The proposal names no start and end');
    const summary = eventTitle(call, nameOf);
    await calendar.add({ uid: key, from, to, summary, place: typeof location === 'string' ? location : null }, now, servers);
  },
  undo: ({ key, now }) => calendar.remove(key, now, servers),
});

// An action that posts the agreed sentence to a channel of the person's hub. Both people read the channel's name in the proposal, and
// the sentence is posted nowhere else (A2C-24).

/** The channels of the host. `post` is done once for a key; it throws a `PeerCallError` with `refused` where nothing was posted. */
export interface Channels {
  post: (post: { key: string; conversationId: string; audience: string; text: string }) => Promise<void>;
  takeBack: (key: string) => Promise<void>;
}

/** How a proposal names the channel. */
export const postService = (audience: string): string => `post in ${audience}`.slice(0, 128);
export const audienceIn = (service: string | undefined): string | undefined => /^post in (.+)$/s.exec(service ?? '')?.[1];

function channelPost({ run, audience = '' }: ConfiguredAction, channels: Channels | undefined): ActionHandler {
  return {
    isRemote: true,
    run: async ({ key, action, summary }: ActionCall) => {
      if (!channels) throw new ActionRefused(`${action.action} is not possible here`);
      if (action.service !== postService(audience)) throw new ActionRefused(`${action.action} was agreed for another channel`);
      try {
        await channels.post({ key, conversationId: run, audience, text: summary });
      } catch (error) {
        if (error instanceof PeerCallError && error.code === 'refused') throw new ActionRefused(`${action.action} is not possible now`);
        throw error;
      }
    },
    undo: async ({ key }: ActionCall) => channels?.takeBack(key),
  };
}

// An action that is a call of a tool which the host offers, such as one of an MCP server. The person names the tools that it may call.

/** Calls a tool of the host. Throws where it fails: a `PeerCallError` with `refused` where nothing has happened. */
export type CallTool = (tool: string, argument: Readonly<Record<string, unknown>>) => Promise<void>;

/** A tool has no idempotency key, so a call whose end is unknown is not made again. */
export function tool({ run, undo }: ConfiguredAction, callTool: CallTool | undefined): ActionHandler {
  const call = async (name: string, { key, action, summary, details, isRepeated }: ActionCall): Promise<void> => {
    if (!callTool) throw new ActionRefused(`${action.action} is not possible here`);
    if (isRepeated) throw new Error(`Nobody knows whether ${action.action} happened: the peer stopped while it ran.`);
    try {
      await callTool(name, { key, summary, details });
    } catch (error) {
      if (error instanceof PeerCallError && error.code === 'refused') throw new ActionRefused(`${action.action} is not possible now`);
      throw error;
    }
  };
  return { isRemote: true, run: (one) => call(run, one), ...(undo === null ? {} : { undo: (one: ActionCall) => call(undo, one) }) };
}
