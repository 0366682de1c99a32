// A session between two peers: an MLS group of two, whose messages carry a fresh key for each packet's box. Every call takes a
// session and returns a new one; nothing is sent or stored here.

import { joinBytes, sameBytes, utf8 } from '@parley/protocol/relay';
import {
  type ClientState,
  createApplicationMessage,
  createCommit,
  createGroup,
  decodeGroupState,
  decodeMlsMessage,
  emptyPskIndex,
  encodeGroupState,
  encodeMlsMessage,
  type IncomingMessageCallback,
  joinGroup,
  type MLSMessage,
  mlsExporter,
  processPrivateMessage,
} from 'ts-mls';
import { type KeyPackageSecrets, mustBelongTo, offer, readKeyPackage } from './key-packages.ts';
import { configFor, type Parties } from './parties.ts';
import { messagesBytes, padText, readBody, SealError, unpadText, writeBody } from './sealed-body.ts';
import { isOld, noWaitingKeys, skipTo, type WaitingKeys, withoutOldKeys } from './skipped-packets.ts';
import { closeBox, erase, hashOf, openBox, randomBytes } from './sodium.ts';
import { suite } from './suite.ts';

export interface SealedSession {
  /** The MLS state, without the identity's signing key. */
  group: Uint8Array;
  isCreator: boolean;
  /** Of the session's first epoch: tags of a negotiation stay the same while keys move on. */
  tagSecrets: { sending: Uint8Array; receiving: Uint8Array };
  /** Only one side may commit at a time, and each commit hands the right over, so that commits cannot cross. */
  mayCommit: boolean;
  /** The Welcome or commit that goes along until the peer has answered in its epoch. */
  handshake: Uint8Array | null;
  lastCommitAt: number;
  sealedSinceCommit: number;
  waiting: WaitingKeys;
}

const commitAfterMs = 3_600_000;
const commitAfterPackets = 50;

/** States whose bytes somebody holds, so that the next call need not decode them. Each is taken once: using it erases secrets in it. */
const live = new WeakMap<Uint8Array, ClientState>();

function decodedState(group: Uint8Array): ClientState {
  const known = live.get(group);
  live.delete(group);
  // Of a copy, because decoded secrets are views into the bytes, and are erased when they are used up.
  const state = known ?? decodeGroupState(group.slice(), 0)?.[0];
  if (!state) throw new SealError('The stored session cannot be read.');
  return state as ClientState;
}

function restored(session: SealedSession, parties: Parties, now: number): { state: ClientState; session: SealedSession } {
  const state = { ...decodedState(session.group), signaturePrivateKey: parties.own.key.secret, clientConfig: configFor(parties) };
  const { state: current, waiting } = withoutOldKeys(state, session.waiting, now);
  return { state: current, session: { ...session, waiting } };
}

const afterCommit = (session: SealedSession, ended: bigint, now: number): SealedSession => ({
  ...session,
  lastCommitAt: now,
  sealedSinceCommit: 0,
  waiting: { ...session.waiting, endedEpochs: [...session.waiting.endedEpochs, { epoch: Number(ended), at: now }] },
});

function stored(state: ClientState): Uint8Array {
  const withoutKey = { ...state, signaturePrivateKey: new Uint8Array(0) };
  const group = encodeGroupState(withoutKey);
  live.set(group, withoutKey);
  return group;
}

export const hasExpiredKeys = ({ waiting }: SealedSession, now: number): boolean =>
  [...waiting.endedEpochs, ...waiting.overtaken].some((one) => isOld(one, now));

/** For sessions that are not in use: every call that seals or opens does it anyway. */
export function withoutExpiredKeys(session: SealedSession, now: number): SealedSession {
  const { state, waiting } = withoutOldKeys(decodedState(session.group), session.waiting, now);
  return { ...session, waiting, group: stored(state) };
}

async function tagSecretsOf(state: ClientState, isCreator: boolean): Promise<SealedSession['tagSecrets']> {
  const of = (direction: string): Promise<Uint8Array> =>
    mlsExporter(state.keySchedule.exporterSecret, `a2acp tag ${direction}`, new Uint8Array(0), 32, suite);
  const [creator, joiner] = [await of('creator'), await of('joiner')];
  return isCreator ? { sending: creator, receiving: joiner } : { sending: joiner, receiving: creator };
}

/** The joiner commits first. */
const newSession = async (
  state: ClientState,
  { isCreator, ...begun }: Pick<SealedSession, 'isCreator' | 'handshake' | 'lastCommitAt'>,
): Promise<SealedSession> => ({
  ...begun,
  group: stored(state),
  isCreator,
  tagSecrets: await tagSecretsOf(state, isCreator),
  mayCommit: !isCreator,
  sealedSinceCommit: 0,
  waiting: noWaitingKeys,
});

/** How the relay knows the packets of one negotiation in one direction. */
export const tagFor = (secret: Uint8Array, negotiationId: string): Uint8Array => hashOf(utf8(negotiationId), 16, secret);

/** Begins with the peer's key package. The Welcome travels with the first packets. */
export async function start(parties: Parties, packageBytes: Uint8Array, now: number): Promise<SealedSession> {
  const theirs = readKeyPackage(packageBytes);
  mustBelongTo(parties.peer, theirs, now);
  const ours = await offer(parties.own, now, 1);
  const secrets = { initPrivateKey: ours.initSecret, hpkePrivateKey: ours.encryptionSecret, signaturePrivateKey: parties.own.key.secret };
  const alone = await createGroup(randomBytes(16), readKeyPackage(ours.package), secrets, [], suite, configFor(parties));
  const { newState, welcome, consumed } = await createCommit(
    { state: alone, cipherSuite: suite },
    { extraProposals: [{ proposalType: 'add', add: { keyPackage: theirs } }], ratchetTreeExtension: true },
  );
  erase(...consumed);
  const handshake = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_welcome', welcome: welcome! });
  return newSession(newState, { isCreator: true, handshake, lastCommitAt: now });
}

/** Whether the peer has shown that it holds the session: it began it, or it answered its Welcome. */
export const isAnswered = ({ handshake }: SealedSession): boolean => !handshake || messageFrom(handshake).wireformat !== 'mls_welcome';

/** The id of the session that a body belongs to; it travels in the clear. */
export function groupOf(body: Uint8Array): Uint8Array {
  const carrier = messageFrom(readBody(body).messages.at(-1)!);
  if (carrier.wireformat !== 'mls_private_message') throw new SealError('The last message carries no key.');
  return carrier.privateMessage.groupId;
}

/** Which of the offered packages the first packet of a session was made for; undefined: the body begins no session. */
export function packageNamedIn(body: Uint8Array): Uint8Array | undefined {
  const first = messageFrom(readBody(body).messages[0]!);
  return first.wireformat === 'mls_welcome' ? first.welcome.secrets[0]?.newMember : undefined;
}

/** Joins the session that the body's Welcome begins. The packet itself is opened afterwards. */
export async function join(parties: Parties, secrets: KeyPackageSecrets, body: Uint8Array): Promise<SealedSession> {
  const first = messageFrom(readBody(body).messages[0]!);
  if (first.wireformat !== 'mls_welcome') throw new SealError('The packet begins no session.');
  const { initSecret, encryptionSecret } = secrets;
  const keys = { initPrivateKey: initSecret, hpkePrivateKey: encryptionSecret, signaturePrivateKey: parties.own.key.secret };
  const state = await joinGroup(
    first.welcome,
    readKeyPackage(secrets.package),
    keys,
    emptyPskIndex,
    suite,
    undefined,
    undefined,
    configFor(parties),
  );
  return newSession(state, { isCreator: false, handshake: null, lastCommitAt: 0 });
}

/** Seals a text under a header. The joiner commits with its first answer, each holder of the right after an hour or 50 packets. */
export async function seal(
  session: SealedSession,
  parties: Parties,
  packet: { headerBytes: Uint8Array; text: Uint8Array },
  now: number,
): Promise<{ session: SealedSession; body: Uint8Array }> {
  let { state, session: next } = restored(session, parties, now);
  next = { ...next, sealedSinceCommit: session.sealedSinceCommit + 1 };
  const isDue = now - session.lastCommitAt >= commitAfterMs || session.sealedSinceCommit >= commitAfterPackets;
  if (session.mayCommit && isDue) {
    const { newState, commit, consumed } = await createCommit({ state, cipherSuite: suite });
    erase(...consumed);
    next = { ...afterCommit(next, state.groupContext.epoch, now), mayCommit: false, handshake: encodeMlsMessage(commit) };
    state = newState;
  }
  const key = randomBytes(32);
  const handshakes = next.handshake ? [next.handshake] : [];
  // The box is sealed before the message that carries its key, because that message authenticates the hash of all the rest.
  const padded = padText(packet.text, messagesBytes([...handshakes.map(({ length }) => length), carrierBytes]));
  const box = closeBox(key, padded, packet.headerBytes);
  const { newState, privateMessage, consumed } = await createApplicationMessage(state, key, suite, hashOf(joinBytes(...handshakes, box)));
  erase(key, padded, ...consumed);
  const carrier = encodeMlsMessage({ version: 'mls10', wireformat: 'mls_private_message', privateMessage });
  if (carrier.length !== carrierBytes) throw new SealError(`The key's message has ${carrier.length} bytes instead of ${carrierBytes}.`);
  return { session: { ...next, group: stored(newState) }, body: writeBody([...handshakes, carrier], box) };
}

/** An MLS message with a key of 32 bytes and a hash of 32 always has this length: the size of the box depends on it. */
const carrierBytes = 209;

/** Opens a packet and applies the commit that comes with it. Throws where anything does not fit; then nothing has changed. */
export async function open(
  session: SealedSession,
  parties: Parties,
  packet: { headerBytes: Uint8Array; body: Uint8Array },
  now: number,
): Promise<{ session: SealedSession; text: Uint8Array }> {
  const { messages, box } = readBody(packet.body);
  const carrier = messageFrom(messages.at(-1)!);
  if (carrier.wireformat !== 'mls_private_message' || carrier.privateMessage.contentType !== 'application')
    throw new SealError('The last message carries no key.');
  const { epoch, authenticatedData } = carrier.privateMessage;
  if (!sameBytes(authenticatedData, hashOf(joinBytes(...messages.slice(0, -1), box))))
    throw new SealError('The body is not the one that was sealed.');
  const before = restored(session, parties, now);
  const { state, session: current } = messages.length === 1 ? before : await afterHandshake(before, messageFrom(messages[0]!), now);
  const { state: ready, waiting } = await skipTo(state, current.waiting, carrier.privateMessage, now);
  const opened = await processPrivateMessage(ready, carrier.privateMessage, emptyPskIndex, suite);
  if (opened.kind !== 'applicationMessage' || opened.message.length !== 32) throw new SealError('The last message carries no key.');
  const text = unpadText(openBox(opened.message, box, packet.headerBytes));
  erase(opened.message, ...opened.consumed);
  // An answer in our latest epoch shows that the peer has it.
  const handshake = epoch === state.groupContext.epoch ? null : current.handshake;
  return { session: { ...current, handshake, waiting, group: stored(opened.newState) }, text };
}

/** Applies the commit that goes along, unless it repeats one that was applied, or is a Welcome for a session that is open. */
async function afterHandshake(
  before: { session: SealedSession; state: ClientState },
  message: MLSMessage,
  now: number,
): Promise<{ session: SealedSession; state: ClientState }> {
  const { session, state } = before;
  if (message.wireformat === 'mls_welcome') return before;
  if (message.wireformat !== 'mls_private_message' || message.privateMessage.contentType !== 'commit')
    throw new SealError('Only a Welcome or a commit goes along.');
  const { epoch } = message.privateMessage;
  if (epoch < state.groupContext.epoch) return before;
  if (epoch > state.groupContext.epoch) throw new SealError('A commit is missing before this one.');
  if (session.mayCommit) throw new SealError('The peer committed out of turn.');
  const result = await processPrivateMessage(state, message.privateMessage, emptyPskIndex, suite, withoutProposals);
  if (result.kind !== 'newState' || result.actionTaken === 'reject') throw new SealError('The commit proposes something.');
  erase(...result.consumed);
  return { state: result.newState, session: { ...afterCommit(session, epoch, now), mayCommit: true, handshake: null } };
}

/** A commit renews keys and nothing else: nobody is added or removed. */
const withoutProposals: IncomingMessageCallback = (incoming) =>
  incoming.kind === 'commit' && incoming.proposals.length === 0 ? 'accept' : 'reject';

function messageFrom(bytes: Uint8Array): MLSMessage {
  const decoded = decodeMlsMessage(bytes, 0);
  if (!decoded || decoded[1] !== bytes.length) throw new SealError('The MLS message cannot be read.');
  return decoded[0];
}
