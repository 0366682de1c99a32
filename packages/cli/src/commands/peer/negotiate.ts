// Profile, calendars, tiers, and one negotiation from the first word to the event in the calendar.

import type { ConfirmationAnswer, NegotiationView, PeerCommands, PromptView, ReachedView } from '@parley/a2acp';
import { CliError } from '../../exit.ts';
import { me } from '../../program-name.ts';
import { printable, table } from '../../output.ts';
import { inFolder, type PeerCommandContext, withPeer } from './peer-access.ts';

type FieldValue = Parameters<PeerCommands['setField']>[0]['value'];

/** JSON where it is some, else the text itself. */
export function valueIn(text: string): FieldValue {
  try {
    return JSON.parse(text) as FieldValue;
  } catch {
    return text;
  }
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

export async function negotiate(context: PeerCommandContext, address: string, options: { intent: string; needs?: string }): Promise<void> {
  const needs = needsIn(options.needs ?? '[]');
  print(context, await withPeer(context, (peer) => peer.negotiate({ address, intent: options.intent, needs })));
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
  different?: string;
  excuse?: true;
  decline?: true;
}

export async function confirm(context: PeerCommandContext, id: string, options: AnswerOptions): Promise<void> {
  const { different, excuse, decline } = options;
  const other: ConfirmationAnswer = excuse ? { kind: 'excuse' } : decline ? { kind: 'decline' } : { kind: 'confirm' };
  const answer: ConfirmationAnswer = different === undefined ? other : { kind: 'different', text: different };
  print(context, await withPeer(context, (peer) => peer.confirm({ id, answer })));
}

export async function answer(context: PeerCommandContext, id: string, options: { ignore?: true }): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.answer({ id, goesOn: options.ignore !== true })));
}

export async function steer(
  context: PeerCommandContext,
  id: string,
  act: 'continue' | 'decline',
  { different: words }: { different?: string },
): Promise<void> {
  print(context, await withPeer(context, (peer) => peer.steer({ id, act, ...(words === undefined ? {} : { words }) })));
}

export async function show(context: PeerCommandContext, id: string | undefined): Promise<void> {
  if (id !== undefined) return print(context, await withPeer(context, (peer) => peer.show(id)));
  const negotiations = await withPeer(context, (peer) => peer.negotiations());
  const rows = negotiations.map(({ id: name, peer, state, intent, open_prompts: open, escalated }) => [
    name,
    peer,
    stateWords[state] ?? state,
    printable(intent),
    open.length === 0 && !escalated ? '' : 'waits for you',
  ]);
  const words =
    rows.length === 0 ? `No negotiation yet. Begin one with \`${me} peer negotiate\`.` : table(['ID', 'WITH', 'STATE', 'INTENT', ''], rows);
  context.output.result({ negotiations }, words);
}

const stateWords: Readonly<Record<string, string>> = {
  INITIATED: 'Opened',
  NEGOTIATING: 'Negotiating',
  PROPOSED: 'Proposed',
  STALLED: 'Stalled',
  CONFIRMED: 'Confirmed',
  EXECUTING: 'Executing',
  FAILED: 'Failed',
  ROLLBACK: 'Undoing',
  COMPLETED: 'Completed',
  DECLINED: 'Declined',
  EXPIRED: 'Expired',
};

/** Words of the peer are in it. */
function print(context: PeerCommandContext, view: ReachedView): void {
  const folder = inFolder(context);
  context.output.result(view, printable(wordsOf(view)));
  for (const { notice, details } of view.notes) if (noteWords[notice]) context.output.note(`  ${printable(noteWords[notice](details))}`);
  for (const prompt of view.open_prompts) context.output.note(printable(promptWords(view, prompt, folder)));
  if (view.escalated) context.output.note(printable(escalationWords(view, folder)));
  if (view.problem !== null) context.output.note(`  The relay was not reached: ${printable(view.problem)}`);
}

const noteWords: Readonly<Record<string, (details: NegotiationView['notes'][number]['details']) => string>> = {
  leak_stopped: ({ fields }) => `Stopped: your negotiator wrote a packet with values that they may not get: ${JSON.stringify(fields)}.`,
  memory_changed: ({ field, before, value }) =>
    `Changed: ${JSON.stringify(field)} was ${JSON.stringify(before)}, they now say ${JSON.stringify(value)}.`,
};

function wordsOf({ id, peer, state, intent, proposal, packets, prompts, confirmed }: NegotiationView): string {
  const counts = `${packets} packets, ${prompts} consent prompts`;
  const head = `${id} with ${peer}: ${stateWords[state] ?? state} (${counts})\n${intent}`;
  if (!proposal) return head;
  const others = proposal.alternatives.map(({ summary, reason }) => `  or: ${summary}${reason === undefined ? '' : ` (${reason})`}`);
  const does = proposal.actions.map((action) => `  does: ${actionWords(action)}`);
  const own = confirmed ? ['You confirmed it.'] : [];
  return [head, `Proposal: ${proposal.summary}`, `  ${proposal.reasoning}`, ...others, ...does, ...own].join('\n');
}

/** The agents found no way: the person decides. */
function escalationWords({ id, notes }: NegotiationView, folder: string): string {
  const { reason, suggested_prompt: prompt, alternatives } = notes.findLast(({ notice }) => notice === 'escalated')?.details ?? {};
  const options = (Array.isArray(alternatives) ? alternatives : []).slice(0, 5).map((one) => {
    const { option = '', rationale = '' } = one as Record<string, unknown>;
    return `  ${String(option)} (${String(rationale)})`;
  });
  return [
    `  It needs you: ${[prompt, reason].find((words) => typeof words === 'string') ?? 'the agents found no way by themselves.'}`,
    ...options,
    `  \`${me} peer continue ${id}${folder} --different "next week"\` tries other days; \`${me} peer decline ${id}${folder}\` ends it.`,
  ].join('\n');
}

type ShownAction = NonNullable<NegotiationView['proposal']>['actions'][number];

/** Confirming approves exactly these (A2C-24). */
function actionWords({ action, scope = 'shared', by, reversible }: ShownAction): string {
  const where = scope === 'shared' ? 'once, for both' : by === undefined ? 'at each of you' : `at ${by}`;
  return `${action}, ${where}${reversible === true ? '' : '; it cannot be undone'}`;
}

function promptWords({ id, peer, packets }: NegotiationView, { kind, fields }: PromptView, folder: string): string {
  if (kind === 'confirmation') return `  Confirm it with \`${me} peer confirm ${id}${folder}\`, or add --different, --excuse or --decline.`;
  if (kind === 'stranger')
    return `  Nobody compared the key of ${peer}, so nothing was sent. Compare it with \`${me} peer verify ${peer}${folder}\`.\n  \`${me} peer answer ${id}${folder}\` lets the negotiation go on, with the fields that you always share; add --ignore to send nothing.`;
  const lines = fields.map(({ field, reason, value, choices, offers_always: offers }) => {
    const shared = value === null ? `no value yet${choices.length > 0 ? `; perhaps ${choices.join(', ')}` : ''}` : JSON.stringify(value);
    return `  ${field}: ${shared}${reason === null ? '' : `\n    (${reason})`}${offers ? '\n    You shared it before: --always stops the question.' : ''}`;
  });
  const names = fields.map(({ field }) => field).join(',');
  // Before the first packet they cannot have asked.
  const asks = packets === 0 ? 'usually asks' : 'asks';
  return `${peer} ${asks} for:\n${lines.join('\n')}\n  Decide with \`${me} peer consent ${id}${folder} --share ${names}\`; fields you do not name are declined.`;
}
