// A person's shared spaces, as their own page reads them (A2C-33). The words are in the peer's store; the hub keeps IDs and counts.

import { z } from 'zod';
import { oneLine } from '../text/one-line.ts';
import { FieldName, SpaceId } from '../relay/packet-fields.ts';
import { ConversationId } from '../ids.ts';
import type { PeerOwner } from './calls.ts';

const Permission = z.enum(['read-all', 'write-own-fields', 'full-write']);

const Version = z.object({ value: z.json(), by: z.string(), version: z.number() });

const SpaceLinkView = z.object({ name: z.string(), uri: z.string(), server: z.string().nullable() });

export const SharedSpace = z.object({
  id: z.string(),
  name: z.string(),
  creator: z.string(),
  people: z.array(z.object({ address: z.string(), name: z.string(), may: Permission, isGone: z.boolean(), isMe: z.boolean() })),
  isJoined: z.boolean().describe('false: somebody in it is unverified, and you have not decided to write to them'),
  isNew: z.boolean().describe('somebody shared it with you, and you have not looked yet'),
  unseen: z.number().describe('changes by others since you last looked'),
  changedAt: z.number(),
  line: z.string().nullable().optional().describe('of a change: why the relay was not reached'),
});
export type SharedSpace = z.infer<typeof SharedSpace>;

export const WholeSpace = SharedSpace.extend({
  fields: z.array(
    Version.extend({
      field: z.string(),
      mayWrite: z.boolean(),
      earlier: z.array(Version).describe('the latest first, at most 20'),
      links: z.array(SpaceLinkView).describe('nothing reads them before you open one'),
    }),
  ),
  changes: z.array(
    z.object({
      field: z.string(),
      by: z.string(),
      at: z.number(),
      before: z.json(),
      value: z.json(),
      reason: z.enum(['assigned', 'decision', 'yours', 'watched']).nullable(),
    }),
  ),
  refused: z.array(z.object({ address: z.string(), times: z.number() })).describe('writes that the space does not take'),
  heldBack: z
    .array(z.object({ field: z.string(), tier: z.enum(['ask_first', 'never_share']) }))
    .describe('fields of your profile that your tiers keep out of it'),
  watches: z.array(z.string()).describe('`*`: every field'),
  ownPrefix: z.string().describe('fields of your own begin with it'),
  channel: z.object({ audience: z.string(), conversationId: ConversationId.nullable() }).nullable(),
  audiences: z
    .array(z.object({ audience: z.string(), by: z.string(), agreed: z.array(z.string()).describe('addresses') }))
    .describe('where others post about it, in words that you can agree to'),
});
export type WholeSpace = z.infer<typeof WholeSpace>;

export const CreateSpace = z.strictObject({
  name: oneLine(100).min(1),
  people: z
    .array(
      z.strictObject({
        with: oneLine(200).min(1).describe('a member’s handle, or the address of a peer'),
        may: Permission.default('full-write'),
      }),
    )
    .min(1)
    .max(19),
});

/** `value: null` removes the field. */
export const WriteSpace = z.strictObject({
  writes: z
    .array(z.strictObject({ field: FieldName, value: z.json() }))
    .min(1)
    .max(50),
});
export const WatchSpace = z.strictObject({ fields: z.array(z.union([FieldName, z.literal('*')])).max(500) });
export const LinkSpace = z.strictObject({ conversationId: ConversationId.nullable().describe('null: no channel any more') });
export const OpenSpaceLink = z.strictObject({
  field: FieldName,
  at: z.int().min(0).max(49).default(0).describe('which link of a list'),
  server: oneLine(64).min(1).optional().describe('a tool server of yours; default: the one that the link names'),
});
export type OpenSpaceLink = z.infer<typeof OpenSpaceLink>;

/** Words from outside, for the person alone. */
export const OpenedLink = z.object({
  name: z.string(),
  uri: z.string(),
  server: z.string(),
  mediaType: z.string().nullable(),
  text: z.string(),
  isCut: z.boolean(),
});
export type OpenedLink = z.infer<typeof OpenedLink>;

export { SpaceId };

type Named = { id: string };
/** Whose words they are: tiers ask more of an agent's. Default: the person's own. */
type Words = { words?: 'own' | 'agent' | undefined };
/** Without what only a hub knows. */
type OwnSpace = Omit<WholeSpace, 'channel'> & { channel: { audience: string } | null };

export interface SpaceCalls {
  spaces: { in: null; out: SharedSpace[] };
  /** `isStored`: as it is here, without asking the relay first. */
  space: { in: Named & { isStored?: boolean }; out: OwnSpace };
  /** The same ID makes one space. Members of this hub are introduced first. */
  createSpace: {
    in: { id?: string; name: string; people: { with: { address: string } | PeerOwner; may: z.infer<typeof Permission> }[] } & Words;
    out: SharedSpace;
  };
  writeSpace: { in: Named & Words & { writes: { field: string; value: z.infer<ReturnType<typeof z.json>> }[] }; out: OwnSpace };
  joinSpace: { in: Named; out: OwnSpace };
  leaveSpace: { in: Named; out: { line: string | null } };
  seeSpace: { in: Named; out: null };
  watchSpace: { in: Named & { fields: string[] }; out: OwnSpace };
  /** The others read the audience in a field of the person's own, and can agree to it. */
  linkSpace: { in: Named & { audience: string | null }; out: OwnSpace };
}

/** A space as the hub may know it: how often it changed, and the words that everybody concerned agreed to post. */
export interface SpaceStatus {
  spaceId: string;
  moves: number;
  /** Changes that the person is notified of; null: the next notice is not due yet. */
  noticed: number | null;
  /** Somebody shared it, and the person has not looked yet. */
  isNew?: boolean;
  /** For the channel, once for each number. `audience`: as what its readers were agreed to. */
  line: { n: number; text: string; audience: string } | null;
}
