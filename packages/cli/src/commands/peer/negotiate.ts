// Profile, calendars, tiers, and one negotiation from the first word to the event in the calendar.

import { negotiationStateText } from '@parley/core';
import { isExact } from '@parley/core/space';
import type { NegotiationSummary, OwnNegotiation, OwnPeerCalls, PeerCalls, PromptAnswer } from '@parley/protocol';
import { CliError } from '../../exit.ts';
import { namesIn, parseJson } from '../../input.ts';
import { me } from '../../hints.ts';
import { printable, printableLines, table } from '../../output.ts';
import { confirmedLines, introductionWords, modelLines, negotiationLines, noticeLines, openPromptLines } from './negotiation-words.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

type FieldValue = NonNullable<PeerCalls['setField']['in']['value']>;

/** JSON where it is some, else the text itself. */
export function valueIn(text: string): FieldValue {
  let value: FieldValue;
  try {
    value = JSON.parse(text) as FieldValue;
  } catch {
    return text;
  }
  if (!isExact(value)) throw new CliError('usage', `${text}: a number has to be below 2^53. Write it as a text: '"${text}"'.`);
  return value;
}

export async function setField(context: PeerCommandContext, field: string, text: string): Promise<void> {
  const value = valueIn(text);
  await withPeer(context, (peer) => peer.setField({ field, value }));
  context.output.result({ field, value }, `${field} is ${JSON.stringify(value)}.`);
}

const isTier = (word: string): word is keyof typeof tiers => Object.hasOwn(tiers, word);
const tiers = { always: 'always_share', ask: 'ask_first', never: 'never_share' } as const;

export async function setTier(context: PeerCommandContext, field: string, word: string, options: { for?: string }): Promise<void> {
  if (!isTier(word)) throw new CliError('usage', `tier: ${word} is none of always, ask and never.`);
  const { for: address } = options;
  const tier = tiers[word];
  await withPeer(context, (peer) => peer.setTier({ field, tier, ...(address === undefined ? {} : { address }) }));
  context.output.result(
    { field, tier, for: address ?? null },
    `${field}: ${tierWords[word]}${address === undefined ? '' : ` (${address})`}.`,
  );
}

const tierWords = { always: 'always shared', ask: 'you are asked first', never: 'never shared' };

interface NegotiateOptions {
  intent: string;
  needs?: string;
  quorum?: string;
  order?: string;
  answersWithin: string;
}

export async function negotiate(context: PeerCommandContext, addresses: string[], options: NegotiateOptions): Promise<void> {
  const { intent, quorum, order } = options;
  if (addresses.length > 1 && options.needs !== undefined)
    throw new CliError('usage', '--needs asks one person. Leave it out, or name one address.');
  if (addresses.length === 1 && (quorum !== undefined || order !== undefined))
    throw new CliError('usage', '--quorum and --order are for groups. Name two or more addresses.');
  const group = {
    quorum: quorum === undefined ? undefined : numberIn('--quorum', quorum),
    order: order?.split(',').map((one) => ({ address: one.trim() })),
    patienceMs: numberIn('--answers-within', options.answersWithin) * 60_000,
  };
  const needs = needsIn(options.needs);
  await change(context, (peer) => peer.open({ with: addresses.map((address) => ({ address })), intent, needs, group }));
}

/** A negotiation as it is after a change. */
export async function changed(peer: OwnPeerCalls, change: Promise<NegotiationSummary | null>): Promise<OwnNegotiation> {
  const { threadId, line = null } = (await change)!;
  return { ...(await peer.negotiation({ threadId, isStored: true })), line };
}

export async function change(context: PeerCommandContext, act: (peer: OwnPeerCalls) => Promise<NegotiationSummary | null>): Promise<void> {
  print(context, await withPeer(context, (peer) => changed(peer, act(peer))));
}

const answerWith = (context: PeerCommandContext, promptId: string, answer: PromptAnswer): Promise<void> =>
  change(context, (peer) => peer.answer({ promptId, answer }));

function numberIn(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new CliError('usage', `${option} ${text}: write a whole number.`);
  return Number(text);
}

const needsIn = (text = '[]'): PeerCalls['open']['in']['needs'] => parseJson(text, '--needs') as PeerCalls['open']['in']['needs'];

interface ConsentOptions {
  share?: string;
  always?: string;
  decline?: string;
  value?: string[];
}

export async function consent(context: PeerCommandContext, id: string, options: ConsentOptions): Promise<void> {
  const values = Object.fromEntries((options.value ?? []).map(fieldValueIn));
  const answers = (['share', 'always', 'decline'] as const).flatMap((answer) =>
    namesIn(options[answer]).map((field) => ({ field, answer, ...(Object.hasOwn(values, field) ? { value: values[field]! } : {}) })),
  );
  const unnamed = Object.keys(values).find((name) => !answers.some(({ field, answer }) => field === name && answer !== 'decline'));
  if (unnamed !== undefined) throw new CliError('usage', `--value ${unnamed}: name the field in --share or --always too.`);
  if (answers.length === 0) throw new CliError('usage', 'Name the fields: --share a,b, --always c, --decline d. All others are declined.');
  await answerWith(context, id, { kind: 'consent', fields: answers });
}

function fieldValueIn(text: string): [string, FieldValue] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `--value ${text}: write it as field=value.`);
  return [text.slice(0, at), valueIn(text.slice(at + 1))];
}

interface AnswerOptions {
  anyway?: true;
  different?: string;
  excuse?: true;
  decline?: true;
}

export async function confirm(context: PeerCommandContext, id: string, options: AnswerOptions): Promise<void> {
  const { anyway, different, excuse, decline } = options;
  const other: PromptAnswer = excuse ? { kind: 'excuse' } : decline ? { kind: 'decline' } : { kind: 'confirm', anyway };
  await answerWith(context, id, different === undefined ? other : { kind: 'different', text: different });
}

interface GoOnOptions {
  ignore?: true;
  keep?: true;
  decline?: true;
}

/** To the prompt that waits: about somebody unverified, or about a wider scope. */
export async function answer(context: PeerCommandContext, id: string, { ignore, keep, decline }: GoOnOptions): Promise<void> {
  await change(context, async (peer) => {
    const wider = ignore ? undefined : (await peer.negotiation({ threadId: id })).openPrompts.find(({ kind }) => kind === 'expansion');
    const answer: PromptAnswer = keep
      ? { kind: 'keep_intent' }
      : decline
        ? { kind: 'decline' }
        : wider
          ? { kind: 'go_on' }
          : { kind: 'answer_stranger', isOn: ignore !== true };
    return peer.answer({ promptId: wider?.id ?? id, answer });
  });
}

export const changeIntent = (context: PeerCommandContext, id: string, options: { text: string; needs?: string }): Promise<void> =>
  change(context, (peer) => peer.changeIntent({ threadId: id, intent: options.text, needs: needsIn(options.needs) }));

export const fork = (context: PeerCommandContext, id: string, { into, rest }: { into: string[]; rest?: string }): Promise<void> =>
  change(context, async (peer) => (await peer.fork({ threadId: id, into, rest }))[0]!);

export const carryOn = (context: PeerCommandContext, id: string, { different: words }: { different?: string }): Promise<void> =>
  change(context, (peer) => peer.steer({ threadId: id, act: 'continue', words }));

export const decline = (context: PeerCommandContext, id: string): Promise<void> =>
  change(context, (peer) => peer.steer({ threadId: id, act: 'decline' }));

export const transfer = (context: PeerCommandContext, id: string, to: string, { reason }: { reason?: string }): Promise<void> =>
  change(context, (peer) => peer.transfer({ threadId: id, to, reason }));

export async function show(context: PeerCommandContext, id: string | undefined): Promise<void> {
  if (id !== undefined) return print(context, await withPeer(context, (peer) => peer.negotiation({ threadId: id })));
  const negotiations = await withPeer(context, (peer) => peer.negotiations());
  const rows = negotiations.map(({ threadId, peer, peerName, group, isOutside, state, intent, waitsForMe }) => [
    threadId,
    group ? `a group of ${group.members.length}` : isOutside ? `${printable(peerName)} (no agent)` : peer,
    negotiationStateText(state),
    printable(intent),
    waitsForMe ? 'waits for you' : '',
  ]);
  const words =
    rows.length === 0 ? `No negotiation yet. Begin one with \`${me} peer negotiate\`.` : table(['ID', 'WITH', 'STATE', 'INTENT', ''], rows);
  context.output.result({ negotiations }, words);
}

/** Words of the peer are in it. */
export function print(context: PeerCommandContext, shown: OwnNegotiation): void {
  const folder = inFolder(context);
  context.output.result(shown, printableLines(negotiationLines(shown)));
  for (const one of shown.introduces) context.output.note(`  ${printable(introductionWords(one, shown, folder))}`);
  const prompts = shown.openPrompts.flatMap((prompt) => openPromptLines(prompt, folder));
  for (const line of [...modelLines(shown), ...noticeLines(shown), ...prompts, ...confirmedLines(shown, folder)])
    context.output.note(printable(line));
  if (shown.line) context.output.note(`  The relay was not reached: ${printable(shown.line)}`);
}
