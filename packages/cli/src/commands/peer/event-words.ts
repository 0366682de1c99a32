// Words for what happens on a peer's line, in `run` and in every command that connects.

import type { FrameDoubt, LinkEvent, LocalPeer, RemotePeerView } from '@parley/peer';
import { me } from '../../hints.ts';

const stopReasons: Readonly<Record<string, string>> = {
  key_changed: 'their key has changed',
  epoch_fork: 'two devices use their identity',
};

/** `folder`: the option that names it in a hint. */
export const stopWords = ({ address, alarm }: Pick<RemotePeerView, 'address' | 'alarm'>, folder: string): string =>
  `The line to ${address} is stopped: ${stopReasons[alarm!]}. Nothing is sent or read until you compare: ${me} peer verify ${address}${folder}`;

/** Undefined where there is nothing to say. */
export function eventWords(event: LinkEvent, peer: LocalPeer, folder: string): string | undefined {
  const { url } = peer.self.relay;
  if (event.type === 'connected') return undefined;
  if (event.type === 'disconnected')
    return event.retryMs === null
      ? undefined
      : `The relay at ${url} is away: ${event.reason.replace(/[^.]$/, '$&.')} Trying again in ${Math.ceil(event.retryMs / 1000)} s; Ctrl-C leaves.`;
  if (event.type === 'relay_down')
    return `The relay at ${url} has been away for 48 hours, since ${new Date(event.since).toISOString()}. Nothing goes out and nothing comes in until it answers.`;
  if (event.type === 'refused') return event.error.message;
  const { arrival } = event;
  if (arrival.kind === 'repeated') return undefined;
  if (arrival.kind === 'stopped') return stopWords({ address: arrival.peer.address, alarm: arrival.alarm }, folder);
  if (arrival.kind === 'packet') {
    const { type, from, thread_id: negotiation, context: fields } = arrival.packet;
    return type === 'thread_summary' ? undefined : `${type} from ${from} (${negotiation}): ${JSON.stringify(fields ?? {})}`;
  }
  if (arrival.reason === 'blocked') return undefined;
  const { peer: sender, reason } = arrival;
  const offer = sender && sender.malformed > 0 ? ` To stop them: ${me} peer block ${sender.address}${folder}` : '';
  return `A packet ${sender ? `from ${sender.address} ` : ''}was dropped: ${dropWords[reason] ?? reason}${offer}`;
}

type DropReason =
  | 'no_session'
  | 'unknown_package'
  | 'stranger_limit'
  | 'malformed'
  | 'unhandled'
  | 'old_key'
  | Exclude<FrameDoubt, 'key_changed' | 'epoch_fork'>;

const words: Readonly<Record<DropReason, string>> = {
  no_session: 'it belongs to no session here. They get a summary, and send it again.',
  unknown_package: 'its key package was used before. They get a summary, and send it again.',
  stranger_limit: 'people who write first have a limit. Answer them, or add their contact card, and they send it again.',
  malformed: 'it cannot be read.',
  unhandled: 'this peer failed to handle it three times. It is in the history, and changed nothing. Please report this.',
  bad_form: 'it cannot be read.',
  bad_signature: 'its signature is wrong.',
  not_for_us: 'it was written for another address, or for a key that this peer does not have.',
  unknown_sender: 'nobody here knows its sender.',
  old_key: 'it was sealed with a key that they have replaced. Ask them to send it again.',
  old_epoch: 'it comes from an earlier device of theirs.',
};
/** The seal has reasons in words of its own. */
const dropWords: Readonly<Record<string, string>> = words;
