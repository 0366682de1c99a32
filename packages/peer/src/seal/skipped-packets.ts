// Packets that a later one overtook: their keys wait, apart from the ratchet and not for ever (A2C-5, A2C-6).

import { joinBytes, toBase64Url } from '@parley/protocol/relay';
import type { ClientState } from 'ts-mls';
import { deriveTreeSecret } from 'ts-mls/crypto/kdf.js';
import { decryptSenderData } from 'ts-mls/privateMessage.js';
import type { PrivateMessage } from 'ts-mls/privateMessage.js';
import { deriveKey, deriveNonce, type GenerationSecret, type SecretTree } from 'ts-mls/secretTree.js';
import { SealError } from './sealed-body.ts';
import { erase } from './sodium.ts';
import { suite } from './suite.ts';

/** How long keys wait for packets that come late: as long as the relay keeps a packet. */
const keepMs = 32 * 86_400_000;
const mostSkipped = 2000;
const minute = 60_000;
const hour = 60 * minute;

/** When an earlier epoch ended, and when the packets of an epoch below a number were overtaken. */
export interface WaitingKeys {
  endedEpochs: { epoch: number; at: number }[];
  overtaken: { epoch: number; below: number; at: number }[];
}
export const noWaitingKeys: WaitingKeys = { endedEpochs: [], overtaken: [] };

/** Too many packets are missing before this one for the moment. It opens later. */
export class SkipLimitError extends SealError {}

/** In memory, because a packet that opens nothing changes no session, yet has made its reader step. */
const recentSteps = new Map<string, { since: number; steps: number }>();

function countSteps(group: Uint8Array, steps: number, now: number): void {
  for (const [name, { since }] of recentSteps) if (now - since >= minute) recentSteps.delete(name);
  const name = toBase64Url(group);
  const recent = recentSteps.get(name) ?? { since: now, steps: 0 };
  if (recent.steps + steps > mostSkipped)
    throw new SkipLimitError(`More than ${mostSkipped} packets were skipped within a minute. Try this one again later.`);
  recentSteps.set(name, { ...recent, steps: recent.steps + steps });
}

/** Moves the peer's ratchet to the packet, and leaves behind the keys of those before it that have not come. */
export async function skipTo(
  state: ClientState,
  waiting: WaitingKeys,
  message: PrivateMessage,
  now: number,
): Promise<{ state: ClientState; waiting: WaitingKeys }> {
  const { epoch } = message;
  const earlier = epoch === state.groupContext.epoch ? undefined : state.historicalReceiverData.get(epoch);
  if (!earlier && epoch !== state.groupContext.epoch) throw new SealError('The packet belongs to an epoch whose keys are gone.');
  const sender = await decryptSenderData(message, (earlier ?? state.keySchedule).senderDataSecret, suite);
  if (sender?.leafIndex !== 1 - state.privatePath.leafIndex) throw new SealError('The packet is not the peer’s.');
  const tree = (earlier ?? state).secretTree;
  const ratchet = tree[sender.leafIndex * 2]!.application;
  const steps = sender.generation - ratchet.generation;
  if (steps <= 0) return { state, waiting };
  if (steps > mostSkipped) throw new SealError(`The packet is ${steps} ahead; at most ${mostSkipped} may be missing before it.`);
  countSteps(message.groupId, steps, now);
  const secretTree = withRatchet(tree, sender.leafIndex, await stepped(ratchet, steps));
  const overtaken = withMark(waiting.overtaken, { epoch: Number(epoch), below: sender.generation, at: now });
  return { state: withTree(state, epoch, secretTree), waiting: { ...waiting, overtaken } };
}

/** One mark an hour: the list stays short, and a key is erased an hour early at most. */
function withMark(marks: WaitingKeys['overtaken'], mark: WaitingKeys['overtaken'][number]): WaitingKeys['overtaken'] {
  const last = marks.at(-1);
  if (last?.epoch !== mark.epoch || mark.at - last.at >= hour) return [...marks, mark];
  return [...marks.slice(0, -1), { ...last, below: Math.max(last.below, mark.below) }];
}

async function stepped(ratchet: GenerationSecret, steps: number): Promise<GenerationSecret> {
  const unusedGenerations = { ...ratchet.unusedGenerations };
  let { secret, generation } = ratchet;
  for (let n = 0; n < steps; n += 1) {
    unusedGenerations[generation] = joinBytes(await deriveKey(secret, generation, suite), await deriveNonce(secret, generation, suite));
    const next = await deriveTreeSecret(secret, 'secret', generation, suite.kdf.size, suite.kdf);
    erase(secret);
    secret = next;
    generation += 1;
  }
  const tooMany = Object.keys(unusedGenerations).slice(0, -mostSkipped).map(Number);
  return { secret, generation, unusedGenerations: without(unusedGenerations, tooMany) };
}

export const isOld = ({ at }: { at: number }, now: number): boolean => now - at >= keepMs;

/** Erases the keys that have waited for 32 days. */
export function withoutOldKeys(
  state: ClientState,
  { endedEpochs, overtaken }: WaitingKeys,
  now: number,
): { state: ClientState; waiting: WaitingKeys } {
  const history = new Map(state.historicalReceiverData);
  for (const { epoch } of endedEpochs.filter((one) => isOld(one, now))) history.delete(BigInt(epoch));
  let next: ClientState = { ...state, historicalReceiverData: history };
  const isKept = (epoch: number): boolean => history.has(BigInt(epoch)) || BigInt(epoch) === state.groupContext.epoch;
  for (const { epoch, below } of overtaken.filter((one) => isOld(one, now) && isKept(one.epoch))) {
    const tree = (history.get(BigInt(epoch)) ?? next).secretTree;
    const leaf = 1 - state.privatePath.leafIndex;
    const ratchet = tree[leaf * 2]!.application;
    const old = Object.keys(ratchet.unusedGenerations)
      .map(Number)
      .filter((generation) => generation < below);
    const unusedGenerations = without(ratchet.unusedGenerations, old);
    next = withTree(next, BigInt(epoch), withRatchet(tree, leaf, { ...ratchet, unusedGenerations }));
  }
  const waiting = {
    endedEpochs: endedEpochs.filter((one) => !isOld(one, now) && isKept(one.epoch)),
    overtaken: overtaken.filter((one) => !isOld(one, now) && isKept(one.epoch)),
  };
  return { state: next, waiting };
}

function without(keys: Record<number, Uint8Array>, generations: readonly number[]): Record<number, Uint8Array> {
  const left = { ...keys };
  for (const generation of generations) {
    erase(left[generation]!);
    delete left[generation];
  }
  return left;
}

function withRatchet(tree: SecretTree, leaf: number, application: GenerationSecret): SecretTree {
  return tree.with(leaf * 2, { ...tree[leaf * 2]!, application });
}

function withTree(state: ClientState, epoch: bigint, secretTree: SecretTree): ClientState {
  if (epoch === state.groupContext.epoch) return { ...state, secretTree };
  const history = new Map(state.historicalReceiverData);
  return { ...state, historicalReceiverData: history.set(epoch, { ...history.get(epoch)!, secretTree }) };
}
