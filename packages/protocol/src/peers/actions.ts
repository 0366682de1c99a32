// What a person's peer does when a proposal is confirmed, besides the event in the calendar (A2C-29). Peers learn the name of an action
// and whether it can be undone, and nothing else of it.

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { FieldName } from '../relay/packet-fields.ts';

const PeerAction = z.object({
  name: z.string(),
  kind: z.enum(['webhook', 'tool', 'channel']),
  run: z.string().describe('an address, a tool as `server/tool`, or the id of a channel'),
  undo: z.string().nullable().describe('null: it cannot be undone. A post is deleted'),
  audience: z.string().optional().describe('of a channel: how others read it in proposals'),
});
export type PeerAction = z.infer<typeof PeerAction>;

export const PeerActions = z.object({
  actions: z.array(PeerAction),
  tools: z.array(z.string()).describe('tools of servers that are your own, as `server/tool`: an action can call them'),
});
export type PeerActions = z.infer<typeof PeerActions>;

const target = oneLine(2000).min(1);

export const AddPeerAction = z.strictObject({
  name: FieldName.describe('others read it in proposals, such as `book_table`'),
  kind: z.enum(['webhook', 'tool', 'channel']),
  run: target,
  undo: target.nullable().default(null),
  secret: oneLine(200).min(16).optional().describe('signs the calls of a webhook; no answer shows it again'),
});
export type AddPeerAction = z.infer<typeof AddPeerAction>;

/** One post of a peer, once for its key. */
export interface ChannelPost {
  key: string;
  conversationId: string;
  /** As both people approved it. */
  audience: string;
  text: string;
}
