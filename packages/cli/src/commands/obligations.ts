import type { Obligation, Task } from '@parley/protocol';
import { needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { type Output, applyStyle, table } from '../output.ts';
import type { CommandContext, Settings } from '../settings.ts';
import { handlesOf } from './members.ts';

export async function showObligations({ settings, output }: CommandContext, typed: string | undefined): Promise<void> {
  needsMember(settings, 'Only members owe or await answers, and the operator of the hub is not one.');
  if (typed !== undefined) return settle(settings, typed, output);
  await withAccess(settings, async (access) => {
    const [{ obligations: owe }, { obligations: waiting }, handles, { tasks }, session] = await Promise.all([
      access.call('listObligations', { query: { owe: 'me' } }),
      access.call('listObligations', { query: { waiting: 'me' } }),
      handlesOf(access),
      access.call('listTasks', { query: { state: 'open' } }),
      access.call('getSession'),
    ]);
    const questions = tasks.filter(({ state, requesterId }) => state === 'waiting' && requesterId === session.me.id);
    const words = [
      ...section('You owe an answer to', owe, (one) => one.authorId, handles),
      ...asking(questions, handles),
      ...section('You wait for', waiting, (one) => one.holderId, handles),
    ];
    output.result({ owe, waiting, questions }, words.length === 0 ? 'You owe nothing, and wait for nobody.' : words.join('\n'));
  });
}

type Handles = ReadonlyMap<string, string>;

/** Agents that asked you something: whatever you write there next is the answer. */
function asking(questions: readonly Task[], handles: Handles): string[] {
  if (questions.length === 0) return [];
  const rows = questions.map(({ id, agentId, askedIn, conversationId, updatedAt }) => [
    handles.get(agentId ?? '') ?? 'somebody',
    `${Math.floor((Date.now() - updatedAt) / 60_000)} min`,
    id,
    `${me} send ${askedIn ?? conversationId} <your answer>`,
  ]);
  return [applyStyle('bold', 'Agents wait for your reply'), table(['AGENT', 'FOR', 'TASK', 'ANSWER WITH'], rows)];
}

async function settle(settings: Settings, typed: string, output: Output): Promise<void> {
  const obligationId = /obl_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (obligationId === undefined)
    throw new CliError('usage', `${typed} is not the id of something that is owed (obl_…).`, { hint: `\`${me} owed\` lists them.` });
  const obligation = await withAccess(settings, (access) => access.call('dischargeObligation', { params: { obligationId } }));
  output.result(obligation, `Settled: nobody is reminded of ${obligation.id} any more.`);
}

function section(title: string, found: readonly Obligation[], whose: (one: Obligation) => string, handles: Handles): string[] {
  if (found.length === 0) return [];
  const rows = found.map((one) => [
    one.id,
    handles.get(whose(one)) ?? 'somebody',
    one.blocks,
    `${Math.floor((Date.now() - one.createdAt) / 60_000)} min`,
    String(one.returns),
    one.messageId,
  ]);
  return [applyStyle('bold', title), table(['ID', 'WHO', 'BLOCKS', 'FOR', 'RETURNS', 'MESSAGE'], rows)];
}
