// An action that posts the agreed sentence to a channel of the person's hub. Both people read the channel's name in the proposal, and
// the sentence is posted nowhere else (A2C-24).

import { PeerCallError } from '@parley/protocol';
import type { ConfiguredAction } from './configured-actions.ts';
import { type ActionCall, type ActionHandler, ActionRefused } from './port.ts';

/** The channels of the host. `post` is done once for a key; it throws a `PeerCallError` with `refused` where nothing was posted. */
export interface Channels {
  post: (post: { key: string; conversationId: string; audience: string; text: string }) => Promise<void>;
  takeBack: (key: string) => Promise<void>;
}

/** How a proposal names the channel. */
export const postService = (audience: string): string => `post in ${audience}`.slice(0, 128);
export const audienceIn = (service: string | undefined): string | undefined => /^post in (.+)$/s.exec(service ?? '')?.[1];

export function channelPost({ run, audience = '' }: ConfiguredAction, channels: Channels | undefined): ActionHandler {
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
