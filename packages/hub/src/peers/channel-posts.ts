// The action "post to a channel": the hub posts for a person's peer.

import { type ChannelPost, ParleyError, PeerCallError } from '@parley/protocol';
import { platform } from '../engine/command.ts';
import type { Engine } from '../engine/engine.ts';

const keyOf = (memberId: string, key: string): string => `peer-post ${memberId} ${key}`;

/** Rejects with `refused` if nothing was posted. Repeats with the same key post once. */
export async function postToChannel(engine: Engine, memberId: string, { key, conversationId, audience, text }: ChannelPost): Promise<void> {
  const command = { type: 'peer.post', by: platform, key: keyOf(memberId, key), memberId, conversationId, audience, text } as const;
  await engine.submit(command).catch((error: unknown) => {
    throw error instanceof ParleyError ? new PeerCallError('refused', error.message) : error;
  });
}

/** Does nothing if nothing was posted. */
export const takeBackPost = async (engine: Engine, memberId: string, key: string): Promise<void> =>
  void (await engine.submit({ type: 'peer.unpost', by: platform, postKey: keyOf(memberId, key) }));
