// `parley peer`: makes a peer, knows, blocks, removes and reports people, and sends and reads packets.

import { type LinkEvent, registerPeer } from '@parley/peer';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { count, printable, table } from '../../output.ts';
import { parseJson, standardInput } from '../../input.ts';
import { stopWords } from './event-words.ts';
import { inFolder, passphraseOf, peerFailure, peerFolder, type PeerCommandContext, withFolder, withPeer } from './peer-access.ts';
import type { PeerCalls } from '@parley/protocol';
import { type QrOption, qrOf } from './qr.ts';

export async function init(
  context: PeerCommandContext,
  options: { name: string; relay: string; code: string; email?: string },
): Promise<void> {
  if (!/^wss?:\/\//.test(options.relay) || !URL.canParse(options.relay))
    throw new CliError('usage', `--relay ${options.relay} is not the address of a relay.`, { hint: 'Write ws://host:port or wss://host.' });
  const { relay: relayUrl, ...registration } = options;
  const made = await withFolder(context, async (parts) => {
    const peer = await registerPeer(parts, { ...registration, relayUrl });
    return { address: peer.address, card: peer.card(), relay: peer.self.relay };
  }).catch((error: Error) => {
    throw peerFailure(error, context);
  });
  context.output.result({ ...made, data: peerFolder(context) }, `You are ${made.address}. Your contact card:\n${made.card}`);
  if (passphraseOf(context) === undefined)
    context.output.note(`  Without PARLEY_PEER_PASSPHRASE the key lies in ${peerFolder(context)}: keep the folder to yourself.`);
  await setUp(context);
}

/** A peer that was set up is only registered again. */
async function setUp(context: PeerCommandContext): Promise<void> {
  if (context.output.json || Object.keys((await withPeer(context, (peer) => peer.profile())).fields).length > 0) return;
  if (process.stdin.isTTY && process.stdout.isTTY) {
    const { askDefaults } = await import('./onboarding.ts');
    await withPeer(context, (peer) => askDefaults(peer));
  }
  const folder = inFolder(context);
  context.output.note(
    `  Your peer asks you before it shares something. \`${me} peer tiers list${folder}\` shows what it shares by itself, \`${me} peer tiers set\` changes it.`,
  );
}

export async function card(context: PeerCommandContext, options: QrOption): Promise<void> {
  const { address, card: word, fingerprint, relay } = await withPeer(context, (peer) => peer.me());
  context.output.result(
    { address, card: word, fingerprint, relay },
    `${address}\nFingerprint: ${fingerprint}\nGive this card to people who want to reach you:\n${qrOf(word!, options)}${word}`,
  );
}

const trustWords = { pinned: 'pinned by their card', introduced: 'introduced by this hub', verified: 'verified', unverified: 'unverified' };
const alarmWords: Readonly<Record<string, string>> = { key_changed: 'stopped: the key has changed', epoch_fork: 'stopped: two devices' };

export async function add(context: PeerCommandContext, word: string): Promise<void> {
  const peer = await withPeer(context, (commands) => commands.add({ card: word }));
  context.output.result(peer, `Added ${peer.address}, ${trustWords[peer.trust]}.`);
  if (peer.trust === 'unverified')
    context.output.note(
      `  An address alone shows no key: ask for the contact card, or compare with \`${me} peer verify ${peer.address}${inFolder(context)}\`.`,
    );
}

export async function list(context: PeerCommandContext): Promise<void> {
  const peers = await withPeer(context, (commands) => commands.people());
  const rows = peers.map(({ address, trust, alarm, malformed, blocked, stranger }) => [
    address,
    trustWords[trust],
    blocked ? 'blocked' : alarm === null ? '' : (alarmWords[alarm] ?? alarm),
    [stranger ? 'wrote first' : '', malformed === 0 ? '' : count(malformed, 'unreadable packet')].filter(Boolean).join(', '),
  ]);
  const words =
    peers.length === 0 ? `Nobody yet. Add somebody with \`${me} peer add <card>\`.` : table(['ADDRESS', 'KEY', 'LINE', 'NOTES'], rows);
  context.output.result({ peers }, words);
  for (const { address } of peers.filter(({ malformed, blocked }) => malformed > 0 && !blocked))
    context.output.note(`  ${address} sends what cannot be read. To stop it: ${me} peer block ${address}${inFolder(context)}`);
}

interface VerifyOptions extends QrOption {
  accept?: string;
  keep?: true;
}

export async function verify(context: PeerCommandContext, address: string, options: VerifyOptions): Promise<void> {
  const { accept, keep } = options;
  const hasDecided = keep === true || accept !== undefined;
  const shown = await withPeer(context, (commands) => commands.verify({ address, accepts: accept, keeps: keep }));
  const changed = shown.alarm === 'key_changed' ? 'Their key has CHANGED. Compare before you accept.\n' : '';
  const kept = keep ? `\nThe other key is refused; the line goes on with this one.` : '';
  const done = shown.accepted ? `\n${address} is verified.` : kept;
  const qr = hasDecided ? '' : qrOf(shown.safetyNumber.replaceAll(' ', ''), options);
  context.output.result(shown, `${changed}Safety number with ${address}:\n${qr}${shown.safetyNumber}${done}`);
  if (hasDecided) return;
  const again = `${me} peer verify ${address}${inFolder(context)}`;
  context.output.note(
    `  They see the same number, if nobody stands between you. If it is the same: ${again} --accept '${shown.safetyNumber}'`,
  );
  if (shown.alarm !== null) context.output.note(`  If it is another one, go on with the key you had: ${again} --keep`);
}

export async function send(context: PeerCommandContext, to: string, options: { context: string; new?: true }): Promise<void> {
  const text = options.context === '-' ? await standardInput('Type the JSON; end with Ctrl-D on an empty line.') : options.context;
  const fields = fieldsIn(text);
  const sent = await withPeer(context, (commands) => commands.send({ to, context: fields, startsNew: options.new === true }));
  context.output.result(sent, `Sent ${sent.packetId} to ${to} (${sent.threadId}, packet ${sent.number}).`);
}

function fieldsIn(text: string): Record<string, never> {
  const value = parseJson(text, '--context');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CliError('usage', '--context must be a JSON object, such as {"day":"Friday"}.');
  return value as Record<string, never>;
}

export async function inbox(context: PeerCommandContext): Promise<void> {
  // Failures and stops are in the answer, also those of before.
  const isDrop = (event: LinkEvent): boolean => event.type === 'arrival' && event.arrival.kind === 'dropped';
  const { packets, stopped, failed, line } = await withPeer(context, (commands) => commands.inbox(), isDrop);
  const blocks = packets.map(
    ({ from, threadId, type, receivedAt, context: fields }) =>
      `${receivedAt}  ${from}  ${threadId}  ${printable(type)}${fields === null ? '' : `\n  ${printable(JSON.stringify(fields))}`}`,
  );
  context.output.result({ packets, stopped, failed, line }, blocks.length === 0 ? 'Nothing came yet.' : blocks.join('\n'));
  for (const { writtenAt, context: fields, ...failure } of failed)
    context.output.note(`  ${writtenAt}  ${printable(failure.problem)} It said: ${printable(JSON.stringify(fields ?? {}))}`);
  for (const one of stopped) context.output.note(`  ${stopWords(one, inFolder(context))}`);
  if (line !== null) context.output.note(`  Only what is here already: ${printable(line)}`);
}

export const block = (context: PeerCommandContext, address: string): Promise<void> => setBlock(context, address, true);
export const unblock = (context: PeerCommandContext, address: string): Promise<void> => setBlock(context, address, false);

async function setBlock(context: PeerCommandContext, address: string, isOn: boolean): Promise<void> {
  const person = await withPeer(context, (peer) => peer.block({ address, isOn }));
  context.output.result(person, `${isOn ? 'Blocked' : 'Unblocked'} ${address}.`);
  if (person.line) context.output.note(`  The relay learns it with the next connection: ${printable(person.line)}`);
}

export async function remove(context: PeerCommandContext, address: string): Promise<void> {
  await withPeer(context, (peer) => peer.remove({ address }));
  context.output.result({ address }, `Removed ${address}.`);
}

export async function report(
  context: PeerCommandContext,
  address: string,
  options: { reason: PeerCalls['report']['in']['reason'] },
): Promise<void> {
  const { reason } = options;
  await withPeer(context, (peer) => peer.report({ address, reason }));
  context.output.result({ address, reason }, `Reported ${address} to the relay: ${reason}.`);
  context.output.note(`  To stop their packets: ${me} peer block ${address}${inFolder(context)}`);
}
