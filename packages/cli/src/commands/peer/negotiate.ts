// Profile, calendars, tiers, and one negotiation from the first word to the event in the calendar.

import type { ConfirmationAnswer, PeerCommands, ReachedView } from '@parley/peer';
import { isExact } from '@parley/core/space';
import { CliError } from '../../exit.ts';
import { me } from '../../program-name.ts';
import { printable, printableLines, table } from '../../output.ts';
import {
  confirmedLines,
  escalationLines,
  introductionWords,
  modelLines,
  negotiationLines,
  noteWords,
  promptLines,
  shownNotes,
  stateWords,
} from './negotiation-words.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

type FieldValue = Parameters<PeerCommands['setField']>[0]['value'];

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

const tiers = { always: 'always_share', ask: 'ask_first', never: 'never_share' } as const;
export type TierWord = keyof typeof tiers;

export async function setTier(context: PeerCommandContext, field: string, word: TierWord, options: { for?: string }): Promise<void> {
  if (!Object.hasOwn(tiers, word)) throw new CliError('usage', `tier: ${word} is none of always, ask and never.`);
  const { for: address } = options;
  const tier = tiers[word];
  await withPeer(context, (peer) => peer.setTier({ field, tier, ...(address === undefined ? {} : { address }) }));
  context.output.result(
    { field, tier, for: address ?? null },
    `${field}: ${tierWords[word]}${address === undefined ? '' : ` (${address})`}.`,
  );
}

const tierWords = { always: 'always shared', ask: 'you are asked first', never: 'never shared' };

export interface NegotiateOptions {
  intent: string;
  needs?: string;
  quorum?: string;
  order?: string;
  answersWithin: string;
}

export async function negotiate(context: PeerCommandContext, addresses: string[], options: NegotiateOptions): Promise<void> {
  const [address, ...others] = addresses as [string, ...string[]];
  const { intent, quorum, order } = options;
  if (others.length > 0) {
    if (options.needs !== undefined) throw new CliError('usage', '--needs asks one person. Leave it out, or name one address.');
    const request = {
      addresses,
      intent,
      ...(quorum === undefined ? {} : { quorum: numberIn('--quorum', quorum) }),
      ...(order === undefined ? {} : { order: order.split(',').map((one) => one.trim()) }),
      patienceMs: numberIn('--answers-within', options.answersWithin) * 60_000,
    };
    return print(context, await withPeer(context, (peer) => peer.negotiateGroup(request)));
  }
  if (quorum !== undefined || order !== undefined)
    throw new CliError('usage', '--quorum and --order are for groups. Name two or more addresses.');
  const needs = needsIn(options.needs ?? '[]');
  return print(context, await withPeer(context, (peer) => peer.negotiate({ address, intent, needs })));
}

function numberIn(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new CliError('usage', `${option} ${text}: write a whole number.`);
  return Number(text);
}

function needsIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CliError('usage', `--needs is not JSON: ${(error as Error).message}.`, { cause: error });
  }
}

export interface ConsentOptions {
  share?: string;
  always?: string;
  decline?: string;
  value?: string[];
}

export async function consent(context: PeerCommandContext, id: string, options: ConsentOptions): Promise<void> {
  const values = Object.fromEntries((options.value ?? []).map(fieldValueIn));
  const answers = (['share', 'always', 'decline'] as const).flatMap((answer) =>
    (options[answer] ?? '')
      .split(',')
      .map((field) => field.trim())
      .filter((field) => field !== '')
      .map((field) => ({ field, answer, ...(Object.hasOwn(values, field) ? { value: values[field]! } : {}) })),
  );
  const unnamed = Object.keys(values).find((name) => !answers.some(({ field, answer }) => field === name && answer !== 'decline'));
  if (unnamed !== undefined) throw new CliError('usage', `--value ${unnamed}: name the field in --share or --always too.`);
  if (answers.length === 0) throw new CliError('usage', 'Name the fields: --share a,b, --always c, --decline d. All others are declined.');
  print(context, await withPeer(context, (peer) => peer.consent({ id, answers })));
}

function fieldValueIn(text: string): [string, FieldValue] {
  const at = text.indexOf('=');
  if (at < 1) throw new CliError('usage', `--value ${text}: write it as field=value.`);
  return [text.slice(0, at), valueIn(text.slice(at + 1))];
}

export interface AnswerOptions {
  anyway?: true;
  different?: string;
  excuse?: true;
  decline?: true;
}

export async function confirm(context: PeerCommandContext, id: string, options: AnswerOptions): Promise<void> {
  const { anyway = false, different, excuse, decline } = options;
  const other: ConfirmationAnswer = excuse ? { kind: 'excuse' } : decline ? { kind: 'decline' } : { kind: 'confirm', anyway };
  const answer: ConfirmationAnswer = different === undefined ? other : { kind: 'different', text: different };
  print(context, await withPeer(context, (peer) => peer.confirm({ id, answer })));
}

export interface GoOnOptions {
  ignore?: true;
  keep?: true;
  decline?: true;
}

/** To the prompt that waits: about somebody unverified, or about a wider scope. */
export async function answer(context: PeerCommandContext, id: string, { ignore, keep, decline }: GoOnOptions): Promise<void> {
  const answered = await withPeer(context, async (peer) => {
    const isWider = keep || decline || (!ignore && (await peer.show(id)).open_prompts.some(({ kind }) => kind === 'expansion'));
    if (!isWider) return peer.answer({ id, goesOn: ignore !== true });
    return peer.answerExpansion({ id, answer: keep ? 'keep' : decline ? 'decline' : 'go_on' });
  });
  print(context, answered);
}

export async function changeIntent(context: PeerCommandContext, id: string, options: { text: string; needs?: string }): Promise<void> {
  const needs = needsIn(options.needs ?? '[]');
  print(context, await withPeer(context, (peer) => peer.changeIntent({ id, intent: options.text, needs })));
}

export async function fork(context: PeerCommandContext, id: string, { into, rest }: { into: string[]; rest?: string }): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.fork({ id, into, ...(rest === undefined ? {} : { rest }) })));
}

export async function steer(
  context: PeerCommandContext,
  id: string,
  act: 'continue' | 'decline',
  { different: words }: { different?: string },
): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.steer({ id, act, ...(words === undefined ? {} : { words }) })));
}

export async function transfer(context: PeerCommandContext, id: string, to: string, options: { reason?: string }): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.transferCoordinator({ id, to, ...options })));
}

export async function show(context: PeerCommandContext, id: string | undefined): Promise<void> {
  if (id !== undefined) return print(context, await withPeer(context, (peer) => peer.show(id)));
  const negotiations = await withPeer(context, (peer) => peer.negotiations());
  const rows = negotiations.map(({ id: name, peer, group, outside, state, intent, open_prompts: open, escalated }) => [
    name,
    group ? `a group of ${group.members.length}` : outside ? `${printable(outside.name)} (no agent)` : peer,
    stateWords[state] ?? state,
    printable(intent),
    open.length === 0 && !escalated ? '' : 'waits for you',
  ]);
  const words =
    rows.length === 0 ? `No negotiation yet. Begin one with \`${me} peer negotiate\`.` : table(['ID', 'WITH', 'STATE', 'INTENT', ''], rows);
  context.output.result({ negotiations }, words);
}

/** Words of the peer are in it. */
export function print(context: PeerCommandContext, view: ReachedView): void {
  const folder = inFolder(context);
  context.output.result(view, printableLines(negotiationLines(view)));
  for (const one of view.introduces) context.output.note(`  ${printable(introductionWords(one, view, folder))}`);
  for (const line of modelLines(view)) context.output.note(printable(line));
  for (const { notice, details } of shownNotes(view))
    if (noteWords[notice]) context.output.note(`  ${printable(noteWords[notice](details))}`);
  for (const prompt of view.open_prompts) context.output.note(printableLines(promptLines(view, prompt, folder)));
  for (const line of confirmedLines(view, folder)) context.output.note(printable(line));
  if (view.escalated) context.output.note(printableLines(escalationLines(view, folder)));
  if (view.problem !== null) context.output.note(`  The relay was not reached: ${printable(view.problem)}`);
}
