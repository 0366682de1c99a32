// Whose peer an agent may use, how much, and for how long (A2C-34). An agent has no peer of its own: a person stands behind each
// negotiation.

const hour = 3_600_000;

export const hostedLimits = {
  /** Open negotiations that agents opened for one person. */
  openForPerson: 20,
  /** Open negotiations that one person's peer began, for the person or for agents. */
  openOfPeer: 50,
  /** So many it begins in an hour. */
  openedInHour: 60,
  /** Open negotiations of one task. */
  openForTask: 3,
  /** The chain's outer limit after opening one. */
  outerMs: 48 * hour,
  urgentOuterMs: 2 * hour,
} as const;

interface NegotiationRequest {
  /** Null: a built-in agent, which negotiates for the chain’s requester. */
  ownerId: string | null;
  /** Who began the chain; undefined: nobody answers for the whole of it, or an agent does. */
  requesterId: string | undefined;
  openForPerson: number;
  openForTask: number;
}

export type NegotiatorRefusal = 'no_person' | 'not_owner' | 'too_many_for_person' | 'too_many_for_task';
export type NegotiatorVerdict = { ok: true; memberId: string } | { ok: false; reason: NegotiatorRefusal };

export function negotiatorFor({ ownerId, requesterId, openForPerson, openForTask }: NegotiationRequest): NegotiatorVerdict {
  if (requesterId === undefined) return { ok: false, reason: 'no_person' };
  if (ownerId !== null && ownerId !== requesterId) return { ok: false, reason: 'not_owner' };
  if (openForTask >= hostedLimits.openForTask) return { ok: false, reason: 'too_many_for_task' };
  if (openForPerson >= hostedLimits.openForPerson) return { ok: false, reason: 'too_many_for_person' };
  return { ok: true, memberId: requesterId };
}

export const negotiatorRefusals: Readonly<Record<NegotiatorRefusal, string>> = {
  no_person: 'No person asked for this, so nobody’s peer can negotiate. Let a person ask.',
  not_owner: 'This agent negotiates only for its owner, and its owner did not ask. Let its owner ask, or use a built-in agent.',
  too_many_for_task: `This task has ${hostedLimits.openForTask} open negotiations, as many as it may have. Wait for one of them to end.`,
  too_many_for_person: `This person has ${hostedLimits.openForPerson} open negotiations, as many as agents may open. Wait for one of them to end.`,
};

/** Each one asks somebody else for their attention. Undefined: the peer may begin another. */
export function openingRefusal({ unfinished, opened }: { unfinished: number; opened: number }): string | undefined {
  if (unfinished >= hostedLimits.openOfPeer)
    return `You have ${unfinished} open negotiations, and ${hostedLimits.openOfPeer} are the most. End one under Negotiations, or wait until one has ended.`;
  if (opened >= hostedLimits.openedInHour)
    return `You opened ${opened} negotiations in the last hour, and ${hostedLimits.openedInHour} are the most. Wait a while, then try again.`;
  return undefined;
}

/** The words by which the peer itself reads urgency. */
export const isUrgentIntent = (intent: string): boolean => /\b(?:urgent|urgently|asap)\b/i.test(intent);

export const negotiationOuterAt = (now: number, isUrgent: boolean): number =>
  now + (isUrgent ? hostedLimits.urgentOuterMs : hostedLimits.outerMs);

const neutralEnd = 'The negotiation has ended.';
const readAs = 'reads the request as';

/** What the agent reads, and what stands in the conversation at the end. Only an outcome says anything of the negotiation. */
export const negotiationTexts = {
  opened: (name: string, reading: string | null) =>
    `The negotiation with ${name} is open. The person's own peer ${reading === null ? '' : `${readAs} “${reading}”, and `}asks them what it may share. You'll receive the result automatically when it ends.`,
  ended: (handle: string) => `${neutralEnd} @${handle} finds its outcome under Negotiations.`,
} as const;

/** How the person's peer read the request, from the platform's words for an opened negotiation. */
export const readingIn = (opened: string): string | undefined => new RegExp(`${readAs} “([^”]+)”, and `).exec(opened)?.[1];

/** The platform's words for an end whose outcome is not for this audience. */
export const isNeutralEnd = (text: string): boolean => text.startsWith(neutralEnd);
