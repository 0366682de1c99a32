// Keeps a peer's line open in the foreground, and answers the other commands of its folder.

import { commandsOf, type LinkEvent, type Negotiations, Peer, PeerLink, takeOver } from '@parley/a2acp';
import { listenForCommands, lockPeerFolder, openNodeSocket, openPeerFolder, runningPeer } from '@parley/a2acp/node';
import { CliError } from '../../exit.ts';
import { me } from '../../program-name.ts';
import { printable } from '../../output.ts';
import { negotiationsOf } from './negotiations.ts';
import { lockOrWait, mustHoldPeer, passphraseOf, peerFailure, type PeerCommandContext } from './peer-access.ts';

const quietMs = 500;

export async function run(context: PeerCommandContext, options: { takeOver?: true }): Promise<void> {
  const folder = mustHoldPeer(context);
  if (await runningPeer(folder))
    throw new CliError('unavailable', `A peer runs in ${folder} already.`, {
      code: 'in_use',
      hint: 'Its commands work beside it; stop it to run it here.',
    });
  const release = lockPeerFolder(folder) ?? (await lockOrWait(folder));
  try {
    const store = await openPeerFolder(folder, passphraseOf(context));
    try {
      const peer = await Peer.open({ store, openSocket: openNodeSocket, now: Date.now });
      if (options.takeOver === true) await takeOver(peer);
      await keepOnLine(context, folder, peer);
    } finally {
      await store.close();
    }
  } catch (error) {
    throw peerFailure(error as Error, context);
  } finally {
    release();
  }
}

async function keepOnLine({ output }: PeerCommandContext, folder: string, peer: Peer): Promise<void> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  let hasBegun = false;
  const begin = (isConnected: boolean, text: string): void => {
    const words = printable(text);
    if (hasBegun) return output.note(words);
    hasBegun = true;
    output.result({ address: peer.address, relay: peer.self.relay.url, connected: isConnected, data: folder }, words);
  };
  const link = new PeerLink(peer, {
    onEvent: (event) => say(event, peer, begin, (words) => output.note(printable(words))),
    random: Math.random,
    sleep,
    quietMs,
  });
  const negotiations = negotiationsOf(peer, folder, {
    onFailure: (error) => output.note(printable(error.message)),
    onChange: ({ machine: { threadId, peer: other, state, proposal }, openPrompt }) => {
      const isOpen = openPrompt !== null || (state === 'PROPOSED' && proposal?.ownConfirmed === false);
      output.note(`${threadId} with ${other}: ${state}${isOpen ? `; it waits for you: ${me} peer show ${threadId}` : ''}`);
    },
  });
  const stopListening = await listenForCommands(
    folder,
    commandsOf(link, (act) => act(), negotiations),
  );
  const resuming = keepResuming(negotiations, ending.signal);
  try {
    await link.run(ending.signal);
  } finally {
    ending.abort();
    await resuming;
    await stopListening();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  }
}

const resumeMs = 60_000;

/** Timeouts, and work that waited; a clock that was set is noticed within a minute. */
async function keepResuming(negotiations: Negotiations, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const next = await negotiations.resume();
    await sleep(Math.max(1000, Math.min(resumeMs, (next ?? Infinity) - negotiations.now)), signal);
  }
}

function say(event: LinkEvent, peer: Peer, begin: (isConnected: boolean, words: string) => void, note: (words: string) => void): void {
  const { url } = peer.self.relay;
  if (event.type === 'connected') return begin(true, `${peer.address} is on the line at ${url}; Ctrl-C leaves.`);
  if (event.type === 'disconnected') {
    if (event.retryMs !== null)
      begin(false, `The relay at ${url} is away: ${event.reason} Trying again in ${Math.ceil(event.retryMs / 1000)} s; Ctrl-C leaves.`);
    return;
  }
  if (event.type === 'relay_down')
    return note(
      `The relay at ${url} has been away for 48 hours, since ${new Date(event.since).toISOString()}. Nothing goes out and nothing comes in until it answers.`,
    );
  if (event.type === 'refused') return note(event.error.message);
  const { arrival } = event;
  if (arrival.kind === 'packet' && arrival.packet.type !== 'thread_summary')
    note(
      `${arrival.packet.type} from ${arrival.packet.from} (${arrival.packet.thread_id}): ${JSON.stringify(arrival.packet.context ?? {})}`,
    );
  if (arrival.kind === 'stopped')
    note(`The line to ${arrival.peer.address} is stopped (${arrival.alarm}). Compare with: peer verify ${arrival.peer.address}`);
  if (arrival.kind !== 'dropped' || arrival.reason === 'blocked') return;
  const { peer: sender, reason } = arrival;
  const offer = sender && sender.malformed > 0 ? ` To stop them: ${me} peer block ${sender.address}` : '';
  note(`A packet ${sender ? `from ${sender.address} ` : ''}was dropped: ${dropWords[reason] ?? reason}${offer}`);
}

const dropWords: Readonly<Record<string, string>> = {
  no_session: 'it belongs to no session here. They get a summary, and send it again.',
  unknown_package: 'its key package was used before. They get a summary, and send it again.',
  stranger_limit: 'people who write first have a limit. Answer them, or add their contact card, and they send it again.',
  malformed: 'it cannot be read.',
  bad_signature: 'its signature is wrong.',
  old_epoch: 'it comes from an earlier device of theirs.',
};

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
