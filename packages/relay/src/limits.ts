// Every number of a relay but the sizes of queues (queue-limits.ts) and of frames (protocol/src/relay/frames.ts). Settings override some of them (config.ts).

const day = 24 * 3_600_000;

/** A frame may wait this long, at its sender or here, and its id is remembered as long. */
export const frameRetentionMs = 32 * day;
/** Clocks may differ by so much. */
export const clockToleranceMs = day;
/** Older frames are refused, so that an id is forgotten only when no replay could use it. */
export const frameAgeMs = frameRetentionMs - clockToleranceMs;
export const invitationMs = 7 * day;
/** A ticket goes from the page to a terminal at once. */
export const ticketMs = 3_600_000;
export const heartbeatMs = 30_000;
export const reportsKeptMs = 30 * day;
/** So many different people have to report somebody before their frames go last. */
export const reportersThatCount = 3;

/** Unused one-time key packages of one address. */
export const mostPackages = 200;

/** Addresses that one address blocks. */
export const mostBlocks = 1000;

export interface RelayLimits {
  framesPerMinute: number;
  /** The id of each is remembered for a month: 20,000 a day are about 130 MB. */
  framesPerDay: number;
  lookupsPerMinute: number;
  /** Blocks, reports and directory entries of one address: each is a write with a sync of its own. */
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
  /** Of one other relay, all its users together. */
  framesPerMinute: 12_000,
  /** The ids of a month are about 1.3 GB. */
  framesPerDay: 200_000,
  lookupsPerMinute: 600,
  /** A packet waits so long for a relay that cannot be reached. */
  waitHours: 48,
  /** Of one other relay at once: it may have several processes. */
  lines: 8,
};

export const inDays = (ms: number): string => `${Math.floor(ms / day)} days`;
