// A link in place of the text (A2C-11): the content is sealed here, the hub serves the ciphertext, and the key is only in the link.

import { talkingStates } from '@parley/core/negotiation';
import { requestLinkLimits } from '@parley/core/outside';
import {
  type LinkAnswer,
  linkNonceBytes,
  type LinkRequest,
  openFromLink,
  readBase64Url,
  sealForLink,
  writeBase64Url,
} from '@parley/core/sealed-request';
import { toOneLine, PeerCallError } from '@parley/protocol';
import type { FreeFields } from '@parley/protocol/relay';
import type { Negotiations } from '../negotiate/negotiations.ts';
import { withNote } from '../negotiate/effects.ts';
import { type MachineRecord, type OutsideNotice, putMachine } from '../negotiate/negotiation-records.ts';
import { negotiationKey } from '../packets/peer-records.ts';
import { type RequestLink, withoutLink } from './outside-people.ts';
import { mostReplyWords, offerIn, settleReply } from './replies.ts';

const { subtle } = crypto;
const random = (length: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(length));

/** The same one again, unless another one is wanted. */
export function requestLink(engine: Negotiations, threadId: string, isNew: boolean): Promise<RequestLink> {
  return engine.peer.inTurn(async () => {
    const { record, offer } = await offerIn(engine, threadId);
    const { outside, intent } = record;
    if (offer.reply)
      throw new PeerCallError('answered', `${outside!.name} has answered this offer already. Offer other times to ask again.`);
    if (!talkingStates.has(record.machine.state))
      throw new PeerCallError('answered', `The negotiation is ${record.machine.state}: there is nothing left to ask.`);
    if (outside!.link && !isNew) return outside!.link;
    const [id, key] = [writeBase64Url(random(16)), random(32)];
    const content: LinkRequest = {
      to: outside!.name,
      from: outside!.from,
      request: intent!.summary,
      times: offer.times.map(({ hash, words }) => ({ hash, words })),
      zone: offer.zone,
    };
    const sealed = await sealForLink({ subtle, key, linkId: id }, 'request', content, random(linkNonceBytes));
    const link: RequestLink = { id, key: writeBase64Url(key), sealed, expiresAt: engine.now + requestLinkLimits.expiryMs };
    await engine.store.commit([putMachine({ ...record, outside: { ...withoutLink(outside!), link } })]);
    return link;
  });
}

/**
 * Never refused for good: what cannot count becomes a note for the person, and nothing else. False: it was not sealed with the link's key,
 * so nobody who has the link wrote it.
 */
export async function takeLinkAnswer(engine: Negotiations, threadId: string, linkId: string, sealed: string): Promise<boolean> {
  const { record, offer } = await offerIn(engine, threadId);
  if (offer.reply?.link === linkId) return true;
  const { link: present, earlierLinks = [] } = record.outside!;
  const link = [present, ...earlierLinks].find((one) => one?.id === linkId);
  if (!link) {
    await noteOnly(engine, record, 'outside_late');
    return true;
  }
  const answer = await openFromLink(sealOf(link), 'answer', sealed).catch(() => undefined);
  if (!isAnswer(answer)) {
    await noteOnly(engine, record, 'outside_unreadable');
    return false;
  }
  const { kind, hash, text } = answer;
  if (link !== present) {
    await noteOnly(engine, record, 'outside_late', { kind, text: toOneLine(text), time: await timeIn(link, hash) });
    return true;
  }
  try {
    await settleReply(engine, record, { at: engine.now, kind, hash, text: toOneLine(text), link: linkId });
  } catch (error) {
    if (!(error instanceof PeerCallError) || !['answered', 'bad_input'].includes(error.code)) throw error;
    const time = hash === null ? null : offer.times.find((one) => one.hash === hash)?.words;
    await noteOnly(engine, record, 'outside_late', time === undefined ? {} : { kind, text: toOneLine(text), time });
  }
  return true;
}

const sealOf = ({ id, key }: RequestLink) => ({ subtle, key: readBase64Url(key), linkId: id });

/** In the words of the link's own offer. */
async function timeIn(link: RequestLink, hash: string | null): Promise<string | null> {
  const { times } = (await openFromLink(sealOf(link), 'request', link.sealed)) as LinkRequest;
  return times.find((one) => one.hash === hash)?.words ?? null;
}

const isAnswer = (value: unknown): value is LinkAnswer => {
  const { kind, hash, text } = (value ?? {}) as Partial<LinkAnswer>;
  if (typeof text !== 'string' || text.length > mostReplyWords) return false;
  return kind === 'works' ? typeof hash === 'string' : (kind === 'other' || kind === 'cannot') && hash === null;
};

async function noteOnly(engine: Negotiations, { machine }: MachineRecord, notice: OutsideNotice, details: FreeFields = {}): Promise<void> {
  await engine.peer.inTurn(async () => {
    const record = await engine.find(machine.threadId);
    await engine.store.commit([putMachine(withNote(record, { at: engine.now, notice, details }))]);
  });
  engine.workSoon(negotiationKey(machine.peer, machine.threadId));
}
