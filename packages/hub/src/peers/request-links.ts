// Links for people without an agent, between the hub's rows and the person's peer: the peer has the key, the hub the ciphertext.

import { linkStateAt } from '@parley/core/outside';
import { type OutsideRequest, ParleyError } from '@parley/protocol';
import { platform, type By } from '../engine/command.ts';
import { linkStateOf } from '../engine/commands/peers/request-links.ts';
import type { Engine } from '../engine/engine.ts';
import type { Performer } from '../engine/outbox.ts';
import type { Store } from '../store/port.ts';
import type { Peers } from './peers.ts';

interface LinkHub {
  store: Store;
  engine: Engine;
  peers: Peers;
}

/** Returns a link that can still be opened again; otherwise the peer seals a new one. */
export async function makeRequestLink({ store, engine, peers }: LinkHub, by: By, memberId: string, threadId: string, now: number) {
  const existing = await peers.call(memberId, 'requestLink', { threadId, isNew: false });
  const [row] = await store.rows('request_links', { id: existing.id });
  const isUsable = row ? linkStateAt(linkStateOf(row), now) === 'made' : existing.expiresAt > now;
  const link = isUsable ? existing : await peers.call(memberId, 'requestLink', { threadId, isNew: true });
  const { id, sealed, expiresAt } = link;
  await engine.submit({ type: 'request_link.make', by, threadId, id, sealed, expiresAt });
  return link;
}

/** Adds the state of the link, which only the hub knows. */
export async function withLinkState(store: Store, outside: OutsideRequest | null, now: number): Promise<OutsideRequest | null> {
  if (!outside?.link) return outside;
  const [row] = await store.rows('request_links', { id: outside.link.id });
  if (!row) return { ...outside, link: null };
  const state = linkStateAt(linkStateOf(row), now);
  const at = state === 'expired' ? row.expires_at : (row.answered_at ?? row.opened_at ?? row.made_at);
  return { ...outside, link: { id: row.id, state, at, expiresAt: row.expires_at } };
}

/** Effects of the outbox: the peer opens the answer. Safe to repeat, as the peer knows the link of each answer. */
export const requestLinkPerformers = ({ store, engine, peers }: LinkHub): Record<string, Performer> => ({
  'request_link.deliver': async ({ id }) => {
    const [row] = await store.rows('request_links', { id: id! });
    if (!row || row.answer === null) return;
    const [member] = await store.rows('members', { id: row.member_id });
    let isRead = true;
    if (member?.status === 'active')
      ({ isRead } = await peers
        .call(row.member_id, 'takeLinkAnswer', { threadId: row.thread_id, linkId: row.id, sealed: row.answer })
        .catch((error: unknown) => {
          // The peer knows no such negotiation: nobody waits for the answer.
          if (!(error instanceof ParleyError) || error.code !== 'not_found') throw error;
          return { isRead: true };
        }));
    await engine.submit({ type: 'request_link.settle', by: platform, id: row.id, isRead });
  },
});
