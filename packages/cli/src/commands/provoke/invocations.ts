import { attemptWords, senderText, stampText, timeText, asMoney } from '@parley/core';
import { type Invocation, ParleyError, type WholeInvocation } from '@parley/protocol';
import { type HubAccess, withAccess } from '../../hub-access.ts';
import { CliError } from '../../exit.ts';
import { me } from '../../hints.ts';
import { wholeNumber } from '../../input.ts';
import { type Output, printableLines, shownJson, table } from '../../output.ts';
import { latestInvocations, refuseId, visibleScope } from '../../provoke/hub-lists.ts';
import type { CommandContext, Settings } from '../../settings.ts';
import { stepLines } from '../../task-lines.ts';
import { namesFor } from '../tasks.ts';

export type InvocationAction = 'list' | 'show' | 'ask' | 'cancel';

export interface InvocationOptions {
  state: Invocation['state'] | 'open' | 'all';
  trigger?: string;
  last: string;
}

export async function invocations(
  { settings, output }: CommandContext,
  action: InvocationAction,
  typed: string | undefined,
  options: InvocationOptions,
): Promise<void> {
  if (action === 'list') {
    refuseId('invocations', typed);
    return list(settings, options, output);
  }
  const invocationId = /^inv_[0-9A-Z]{26}$/.exec(typed ?? '')?.[0];
  if (invocationId === undefined)
    throw new CliError('usage', typed === undefined ? 'Which invocation?' : `${typed} is not the id of an invocation (inv_…).`, {
      hint: `\`${me} invocations ${action} <inv_…>\`; \`${me} invocations\` lists them.`,
    });
  const params = { invocationId };
  await withAccess(settings, async (access) => {
    if (action === 'show') {
      const whole = await access.call('getInvocation', { params });
      const causes = output.json ? [] : await causesOf(access, whole);
      return output.result(whole, [words(whole), ...causes].join('\n'));
    }
    const after = await access.call(action === 'ask' ? 'askInvocationAgain' : 'cancelInvocation', { params });
    output.result(after, `${invocationId} is ${stateOf(after)}.`);
  });
}

async function list(settings: Settings, { state, trigger, last }: InvocationOptions, output: Output): Promise<void> {
  const wanted = wholeNumber('--last', last);
  // Accepts a state as the list shows it, or as the API writes it.
  const query = { state: state.replaceAll(' ', '_') as InvocationOptions['state'], ...(trigger === undefined ? {} : { trigger }) };
  const { found, scope } = await withAccess(settings, async (access) => ({
    found: await latestInvocations(access, wanted, query),
    scope: await visibleScope(access),
  }));
  const rows = found.map((one) => [
    one.id,
    one.triggerId,
    stateOf(one),
    new Date(one.createdAt).toISOString(),
    asMoney(one.micros),
    why(one),
  ]);
  const none = `There are no${state === 'all' && trigger === undefined ? '' : ' such'} invocations${scope}.`;
  output.result({ invocations: found }, rows.length === 0 ? none : table(['INVOCATION', 'TRIGGER', 'STATE', 'AT', 'COST', 'REASON'], rows));
}

/** The chain of an invocation, if it holds more than the invocation and its event. */
async function causesOf(access: HubAccess, { chainId }: WholeInvocation): Promise<string[]> {
  const chain = await access.call('getChain', { params: { chainId } }).catch(unlessGone);
  if (!chain || chain.provoked.length + chain.steps.length <= 2) return [];
  return ['', 'Its chain:', ...stepLines(chain, await namesFor(access, []), Date.now())];
}

/** An invocation has no chain before its first attempt. */
const unlessGone = (error: unknown): undefined => {
  if (!(error instanceof ParleyError && error.code === 'not_found')) throw error;
};

const stateOf = ({ state, attempt, attempts }: Invocation): string =>
  `${state.replaceAll('_', ' ')}${attempts > 1 && attempt > 0 ? `, attempt ${attempt} of ${attempts}` : ''}`;

function why({ error, dueAt, checkpointId, state }: Invocation): string {
  if (error !== null) return error;
  if (state === 'awaiting_approval' && checkpointId !== null) return `waiting for approval: ${checkpointId}`;
  return state === 'waiting_retry' && dueAt !== null ? `again at ${timeText(dueAt)}` : '';
}

const time = (at: number | null): string => (at === null ? '' : new Date(at).toISOString());

const approvalText = (approver: string, checkpointId: string): string =>
  `@${approver} is asked: \`${me} inbox approve ${checkpointId}\` approves it.`;

function words(one: WholeInvocation): string {
  const { event, sender, runs, output, approver, checkpointId } = one;
  const because = approver === null || checkpointId === null ? why(one) : approvalText(approver, checkpointId);
  const rows = runs.map((run) => [
    String(run.n),
    attemptWords(run),
    time(run.startedAt),
    time(run.endedAt),
    String(run.toolCalls),
    asMoney(run.micros),
    run.error ?? '',
  ]);
  return [
    `${one.id} is ${stateOf(one)}.${because === '' ? '' : ` ${because}`}`,
    `${one.triggerId} (version ${one.triggerVersion}) → ${one.manifestId} (version ${one.manifestVersion}), risk ${one.risk}`,
    `event ${event.id}: ${event.type} from ${senderText(event.source, sender)}, ${stampText(event.time)}`,
    `chain ${one.chainId}, invocation ${one.level} of it; ${asMoney(one.micros)}`,
    ...(rows.length === 0 ? ['No attempt has begun.'] : [table(['ATTEMPT', 'END', 'FROM', 'TO', 'TOOL CALLS', 'COST', 'ERROR'], rows)]),
    ...(output === null || output === undefined
      ? []
      : ['', typeof output === 'string' ? printableLines(output.split('\n')) : shownJson(output)]),
  ].join('\n');
}
