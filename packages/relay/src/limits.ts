// The limits of a relay. Queues have their own (queue-limits.ts), and so have frames (protocol/src/relay/frames.ts).
// Settings override some of them (config.ts).

const day = 24 * 3_600_000;

/** A frame may wait this long at its sender or here, and the relay remembers its ID as long. */
export const frameRetentionMs = 32 * day;
/** The clocks of two machines may differ by this much. */
export const clockToleranceMs = day;
/** The relay refuses older frames, so that it forgets an ID only when no replay could use it. */
export const frameAgeMs = frameRetentionMs - clockToleranceMs;
export const invitationMs = 7 * day;
/** A person types a ticket from the page into a terminal at once. */
export const ticketMs = 3_600_000;
export const heartbeatMs = 30_000;
export const reportsKeptMs = 30 * day;
/** Different people who have to report an address before its frames go last. */
export const reportersThatCount = 3;

/** Unused one-time key packages of one address. */
export const mostPackages = 200;

/** Addresses that one address blocks. */
export const mostBlocks = 1000;

export interface RelayLimits {
  framesPerMinute: number;
  /** The relay remembers each ID for a month: 20,000 a day take about 130 MB. */
  framesPerDay: number;
  lookupsPerMinute: number;
  /** Blocks, reports and directory entries of one address: each one syncs the disk. */
  requestsPerMinute: number;
  connectionsPerMinute: number;
}

export const relayLimits: RelayLimits = {
  framesPerMinute: 1200,
  framesPerDay: 20_000,
  lookupsPerMinute: 30,
  requestsPerMinute: 60,
  connectionsPerMinute: 60,
};

export const federationLimits = {
  /** Limits one other relay, with all its users together. */
  framesPerMinute: 12_000,
  /** The IDs of a month take about 1.3 GB. */
  framesPerDay: 200_000,
  lookupsPerMinute: 600,
  /** Hours that a packet waits for a relay that cannot be reached. */
  waitHours: 48,
  /** Open lines of one other relay: it may have several processes. */
  lines: 8,
};

export const inDays = (ms: number): string => `${Math.floor(ms / day)} days`;
