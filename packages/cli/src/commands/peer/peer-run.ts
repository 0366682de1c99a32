// Keeps a peer's line open in the foreground, and answers the other commands of its folder; or offers the folder to an MCP client.

import type { PeerAccess } from '@parley/mcp';
import { callsOf, keepResuming, type LinkEvent, LocalPeer, PeerLink, sleep, takeOver } from '@parley/peer';
import { listenForCalls } from '@parley/peer/node';
import { me } from '../../hints.ts';
import { printable } from '../../output.ts';
import { eventWords, stopWords } from './event-words.ts';
import { negotiationsOf } from './negotiations.ts';
import { inFolder, mustHoldPeer, peerFailure, type PeerCommandContext, withFolder, withPeer } from './peer-access.ts';

const quietMs = 500;

export async function run(context: PeerCommandContext, options: { takeOver?: true }): Promise<void> {
  const folder = mustHoldPeer(context);
  try {
    await withFolder(context, async (parts) => {
      const peer = await LocalPeer.open(parts);
      if (options.takeOver === true) await takeOver(peer);
      await keepOnLine(context, folder, peer);
    });
  } catch (error) {
    throw peerFailure(error as Error, context);
  }
}

/** Nothing but messages of the protocol may go to standard output: results and remarks of a command become the tool's result. */
export async function serve(context: PeerCommandContext, version: string): Promise<void> {
  const { servePeer } = await import('@parley/mcp');
  const access: PeerAccess = (act, note) => withPeer({ ...context, output: { json: true, result: () => {}, note } }, act);
  servePeer(access, version);
}

async function keepOnLine(context: PeerCommandContext, folder: string, peer: LocalPeer): Promise<void> {
  const { output } = context;
  const { url } = peer.self.relay;
  const ending = new AbortController();
  const end = (): void => ending.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
  const stopped = (await peer.list()).filter(({ alarm }) => alarm !== null);
  let hasBegun = false;
  const begin = (isConnected: boolean, text: string): void => {
    const words = printable(text);
    if (hasBegun) return output.note(words);
    hasBegun = true;
    output.result({ address: peer.address, relay: url, connected: isConnected, data: folder, stopped }, words);
    for (const one of stopped) output.note(stopWords(one, inFolder(context)));
  };
  const say = (event: LinkEvent): void => {
    if (event.type === 'connected') return begin(true, `${peer.address} is on the line at ${url}; Ctrl-C leaves.`);
    const words = eventWords(event, peer, inFolder(context));
    if (event.type === 'disconnected' && words !== undefined) return begin(false, words);
    if (words !== undefined) output.note(printable(words));
  };
  const link = new PeerLink(peer, { onEvent: say, random: Math.random, sleep, quietMs });
  const negotiations = negotiationsOf(
    peer,
    { folder, env: context.env },
    {
      onFailure: (error) => output.note(printable(error.message)),
      onChange: ({ machine: { threadId, peer: other, state, proposal }, openPrompt }) => {
        const isOpen = openPrompt !== null || (state === 'PROPOSED' && proposal?.ownConfirmed === false);
        output.note(`${threadId} with ${other}: ${state}${isOpen ? `; it waits for you: ${me} peer show ${threadId}` : ''}`);
      },
    },
  );
  const stopListening = await listenForCalls(
    folder,
    callsOf(link, (act) => act(), negotiations),
  );
  const resuming = keepResuming(negotiations, ending.signal);
  try {
    await link.run(ending.signal);
  } finally {
    ending.abort();
    negotiations.stop();
    await resuming;
    await stopListening();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
  }
}
