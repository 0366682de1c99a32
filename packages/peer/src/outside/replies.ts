// The answer of somebody without an agent joins the negotiation (A2C-11): as the packet that their peer would have sent, bound to the
// proposal's hash. The first answer to an offer counts.

import { talkingStates } from '@parley/core/negotiation';
import { type ReadReply, readReply } from '@parley/core/outside';
import { badInput, type OutsideAnswer, PeerCallError } from '@parley/protocol';
import { applyInput } from '../negotiate/decisions.ts';
import { withNote } from '../negotiate/effects.ts';
import { dayOf } from '../negotiate/meetings/local-time.ts';
import type { Negotiations } from '../negotiate/negotiations.ts';
import type { MachineRecord } from '../negotiate/negotiation-records.ts';
import { negotiationKey } from '../packets/peer-records.ts';
import { type OutsideReply, type RequestOffer, startsAt, packetOf } from './outside-people.ts';

/** Word for word, a deterministic reader says what they mean. `option`: the place of the offered time, from 1. */
type GivenReply = Exclude<OutsideAnswer, { kind: 'words' }>;

export const mostReplyWords = 500;

/** As the person passes it on. Words that mean more than one thing change nothing: the person says what was meant. */
export async function replyFor(engine: Negotiations, id: string, given: OutsideAnswer): Promise<MachineRecord> {
  const { offer, record } = await offerIn(engine, id);
  const reply = given.kind === 'words' ? await readWords(engine, offer, given.text) : given;
  return settleReply(engine, record, { ...stored(offer, reply), at: engine.now, link: null });
}

async function readWords(engine: Negotiations, { times }: RequestOffer, words: string): Promise<GivenReply> {
  mustBeShort(words);
  const today = dayOf(await engine.zoneOf(await engine.profile()), engine.now);
  const read: ReadReply = readReply(words, times, today);
  if (read.kind === 'works') return { kind: 'works', option: read.option + 1, text: words };
  if (read.kind === 'cannot') return { kind: 'cannot', text: words };
  throw badInput(
    `It is not clear which time “${words.slice(0, 100)}” means. Say it: a number from 1 to ${times.length}, another time, or that they can’t.`,
  );
}

function mustBeShort(text: string): void {
  if (text.length > mostReplyWords)
    throw badInput(`text: an answer has at most ${mostReplyWords} characters; this one has ${text.length}.`);
}

/** The offer that waits for an answer. */
export async function offerIn(engine: Negotiations, id: string): Promise<{ record: MachineRecord; offer: RequestOffer }> {
  const record = await engine.find(id);
  const { outside, machine } = record;
  if (!outside) throw badInput(`${id} is a negotiation with ${machine.peer}, who has a peer. It answers by itself.`);
  if (!outside.offer) throw badInput(`Nothing is offered to ${outside.name} yet: the negotiation is ${machine.state}.`);
  return { record, offer: outside.offer };
}

function stored({ times }: RequestOffer, given: GivenReply): Pick<OutsideReply, 'kind' | 'hash' | 'text'> {
  const { kind, text = '' } = given;
  mustBeShort(text);
  if (kind !== 'works') return { kind, hash: null, text };
  const time = times[given.option - 1];
  if (!time) throw badInput(`option: there is no offered time ${given.option}. Use a number from 1 to ${times.length}.`);
  return { kind, hash: time.hash, text };
}

/** `reply` is one about the present offer. */
export async function settleReply(engine: Negotiations, { machine }: MachineRecord, reply: OutsideReply): Promise<MachineRecord> {
  const { peer, threadId } = machine;
  const key = negotiationKey(peer, threadId);
  await engine.peer.inTurn(async () => {
    engine.peer.mustHoldLine();
    const { record, offer } = await offerIn(engine, threadId);
    // A delivery that is repeated.
    if (reply.link !== null && offer.reply?.link === reply.link) return;
    mustTake(record, offer, reply, engine.now);
    const desk = await engine.desk(peer);
    let next = withReply(record, offer, reply);
    const time = offer.times.find(({ hash }) => hash === reply.hash);
    if (time) ({ record: next } = await applyInput(desk, next, { kind: 'propose', content: time.content }));
    const { verdict } = await applyInput(desk, next, { kind: 'packet', packet: packetOf(next, reply) });
    if (verdict !== 'accepted' || (time && next.machine.proposal?.hash !== time.hash))
      throw badInput(`The negotiation does not take this answer: it is ${record.machine.state}.`);
    await engine.commit(desk);
    engine.workSoon(key);
  });
  return engine.settled(key);
}

function mustTake({ outside, machine }: MachineRecord, offer: RequestOffer, { hash }: OutsideReply, now: number): void {
  if (offer.reply) throw new PeerCallError('answered', `${outside!.name} has answered this offer already. Offer other times to ask again.`);
  if (!talkingStates.has(machine.state))
    throw new PeerCallError('answered', `The answer came too late: the negotiation is ${machine.state}. Nothing changed.`);
  if (hash === null) return;
  const time = offer.times.find((one) => one.hash === hash);
  if (!time) throw new PeerCallError('answered', 'The answer is about times that are not offered any more. Nothing changed.');
  if (startsAt(time) <= now)
    throw new PeerCallError('answered', `“${time.words}” is over. Pass on another time, or that they can’t. Nothing changed.`);
}

function withReply(record: MachineRecord, offer: RequestOffer, reply: OutsideReply): MachineRecord {
  const { at, kind, text, hash } = reply;
  const words = offer.times.find((one) => one.hash === hash)?.words ?? null;
  const answered = { ...record, outside: { ...record.outside!, offer: { ...offer, reply } } };
  // The times of this offer did not suit.
  const starts = offer.times.map(startsAt);
  const wished = kind === 'other' ? { peerWish: text, rejected: [...record.rejected, ...starts].slice(-100) } : {};
  return withNote({ ...answered, ...wished }, { at, notice: 'outside_replied', details: { kind, text, time: words } });
}
