// Commands reach a peer through the process that runs it, or open its folder themselves.

import { callsOf, type LinkEvent, LocalPeer, PeerLink, type PeerParts } from '@parley/peer';
import type { OwnPeerCalls } from '@parley/protocol';
import { negotiationsOf } from './negotiations.ts';
import { holdsPeer, lockPeerFolder, openNodeSocket, openPeerFolder, runningPeer } from '@parley/peer/node';
import { CliError, type Failure } from '../../exit.ts';
import { me } from '../../hints.ts';
import { printable } from '../../output.ts';
import type { CommandContext } from '../../settings.ts';
import { eventWords } from './event-words.ts';

/** A peer needs no hub. */
export type PeerCommandContext = Pick<CommandContext, 'env' | 'data' | 'output'>;

/** A command that exchanges and leaves takes its packets for complete after so long without another. */
const quietMs = 150;
const waitMs = 20_000;

export const peerFolder = ({ env, data }: PeerCommandContext): string => data ?? (env['PARLEY_PEER_DATA'] || '.parley-peer');
export const passphraseOf = ({ env }: PeerCommandContext): string | undefined => env['PARLEY_PEER_PASSPHRASE'] || undefined;

/** Options that follow a command in a hint, so that it works as it is copied. */
export const inFolder = ({ data }: PeerCommandContext): string => (data === undefined ? '' : ` --data ${data}`);

export function mustHoldPeer(context: PeerCommandContext): string {
  const folder = peerFolder(context);
  if (!holdsPeer(folder))
    throw new CliError('not_found', `No peer lives in ${folder} yet.`, {
      code: 'nothing_there',
      hint: `Make one with \`${me} peer init\`, or name its folder with --data or PARLEY_PEER_DATA.`,
    });
  return folder;
}

/** Waits for another command in the folder; fails where a peer runs there, or a command goes on and on. */
async function lockFolder(folder: string): Promise<() => void> {
  const reached = await reachFolder(folder);
  if ('release' in reached) return reached.release;
  throw new CliError('unavailable', `A peer runs in ${folder} already.`, {
    code: 'in_use',
    hint: 'Its other commands work beside it. Stop it first for this one, or choose another folder.',
  });
}

/** The peer that runs in the folder, or the folder's lock. A peer that is just starting has the lock before it answers. */
const reachFolder = (folder: string): Promise<{ running: OwnPeerCalls } | { release: () => void }> =>
  waitFor(folder, async () => {
    const running = await runningPeer(folder);
    if (running) return { running };
    const release = lockPeerFolder(folder);
    return release && { release };
  });

async function waitFor<T>(folder: string, attempt: () => Promise<T | undefined>): Promise<T> {
  for (const until = Date.now() + waitMs; ;) {
    const result = await attempt();
    if (result !== undefined) return result;
    if (Date.now() > until)
      throw new CliError('unavailable', `Another command uses ${folder}.`, {
        code: 'in_use',
        hint: 'Wait until it has ended, then try again.',
      });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Runs `act` with the folder open and locked. */
export async function withFolder<T>(context: PeerCommandContext, act: (parts: PeerParts) => Promise<T>): Promise<T> {
  return withLock(context, await lockFolder(peerFolder(context)), act);
}

async function withLock<T>(context: PeerCommandContext, release: () => void, act: (parts: PeerParts) => Promise<T>): Promise<T> {
  const folder = peerFolder(context);
  try {
    const store = await openPeerFolder(folder, passphraseOf(context));
    try {
      return await act({ store, openSocket: openNodeSocket, now: Date.now });
    } finally {
      await store.close();
    }
  } finally {
    release();
  }
}

const isNoPacket = (event: LinkEvent): boolean => event.type !== 'arrival' || event.arrival.kind !== 'packet';

/** Runs `act` with the calls of the peer, wherever the peer is. What else happens on the line is said, so that no other command has to find it out. */
export async function withPeer<T>(
  context: PeerCommandContext,
  act: (peer: OwnPeerCalls) => Promise<T>,
  isSaid: (event: LinkEvent) => boolean = isNoPacket,
): Promise<T> {
  const folder = mustHoldPeer(context);
  try {
    const reached = await reachFolder(folder);
    if ('running' in reached) return await act(reached.running);
    return await withLock(context, reached.release, async (parts) => {
      const peer = await LocalPeer.open(parts);
      const negotiations = negotiationsOf(peer, { folder, env: context.env }, { actsInTurn: true });
      const events: LinkEvent[] = [];
      const onEvent = (event: LinkEvent): void => void (isSaid(event) && events.push(event));
      const link = new PeerLink(peer, { onEvent, random: Math.random, sleep: async () => {}, quietMs });
      const exchange = <R>(onLine: () => Promise<R>): Promise<R> =>
        link.exchange(async () => {
          await negotiations.resume();
          return onLine();
        });
      const doing = act(callsOf(link, exchange, negotiations));
      const failure: unknown = await doing.then(
        () => undefined,
        (error: Error) => error,
      );
      // The command itself says why it failed.
      const others = events.filter((event) => event.type !== 'refused' || event.error !== failure);
      const lines = others.map((event) => eventWords(event, peer, inFolder(context))).filter((words) => words !== undefined);
      for (const words of new Set(lines)) context.output.note(`  ${printable(words)}`);
      return doing;
    });
  } catch (error) {
    throw peerFailure(error as PeerFailure, context);
  }
}

interface PeerFailure extends Error {
  code?: string;
}

const exits: Readonly<Record<string, { exit: Failure['exit']; code?: 'nothing_there' | 'not_found' | 'occupied' | 'not_a_backup' }>> = {
  no_identity: { exit: 'not_found', code: 'nothing_there' },
  unknown_peer: { exit: 'not_found' },
  unknown_id: { exit: 'not_found' },
  occupied: { exit: 'failed', code: 'occupied' },
  bad_input: { exit: 'usage' },
  wrong_passphrase: { exit: 'usage' },
  relay_away: { exit: 'unavailable' },
  queue_full: { exit: 'unavailable' },
  not_found: { exit: 'not_found' },
  unavailable: { exit: 'unavailable' },
  not_a_backup: { exit: 'data', code: 'not_a_backup' },
};

export function peerFailure(error: PeerFailure, context: PeerCommandContext): Error {
  const { code = '', name } = error;
  // The relay's words may be in it.
  const message = printable(error.message);
  const options = { hint: hintFor(code, context), cause: error };
  if (error.constructor.name === 'CardError' || error.constructor.name === 'LockedError') return new CliError('usage', message, options);
  if (name === 'CalendarError') return new CliError('data', `calendar: ${message}`, { cause: error });
  if (name !== 'PeerCallError') return error;
  const { exit, code: said } = exits[code] ?? { exit: 'failed' };
  return new CliError(exit, message, { ...options, ...(said ? { code: said } : {}) });
}

function hintFor(code: string, context: PeerCommandContext): string | undefined {
  const folder = inFolder(context);
  const hints: Readonly<Record<string, string>> = {
    no_identity: `Finish it with \`${me} peer init${folder}\`.`,
    line_stopped: `\`${me} peer verify <address>${folder}\` shows the safety number, and how the line starts again.`,
    calendar_conflict: `\`${me} peer confirm <id>${folder} --anyway\` keeps both; --different "Saturday 20:00" suggests another time.`,
    blocked: `\`${me} peer unblock <address>${folder}\` takes the block back.`,
    unregistered: `\`${me} peer init --name <name> --relay <url> --code <code>${folder}\` registers it again.`,
    displaced: `\`${me} peer run --take-over${folder}\` makes this device the one that holds the identity.`,
    epoch_fork: `\`${me} peer run --take-over${folder}\` decides for this device; the other one is read-only then.`,
  };
  return hints[code];
}
