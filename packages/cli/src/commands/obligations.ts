import { everyMember } from '@parley/sdk/pages';
import type { Member, Obligation, Task } from '@parley/protocol';
import { needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../hints.ts';
import { type Output, applyStyle, table } from '../output.ts';
import type { Settings } from '../settings.ts';
import { sigilHandle } from './members.ts';

export async function showObligations(settings: Settings, typed: string | undefined, output: Output): Promise<void> {
  needsMember(settings, 'Only members owe or await answers, and the operator of the hub is not one.');
  if (typed !== undefined) return settle(settings, typed, output);
  await withAccess(settings, async (access) => {
    const [{ obligations: owe }, { obligations: waiting }, { members }, { tasks }, session] = await Promise.all([
      access.call('listObligations', { query: { owe: 'me' } }),
      access.call('listObligations', { query: { waiting: 'me' } }),
      everyMember(access),
      access.call('listTasks', { query: { state: 'open' } }),
      access.call('getSession'),
    ]);
    const questions = tasks.filter(({ state, requesterId }) => state === 'waiting' && requesterId === session.me.id);
    const words = [
      ...section('You owe an answer to', owe, (one) => one.authorId, members),
      ...asking(questions, members),
      ...section('You wait for', waiting, (one) => one.holderId, members),
    ];
    output.result({ owe, waiting, questions }, words.length === 0 ? 'You owe nothing, and wait for nobody.' : words.join('\n'));
  });
}

/** Agents that asked you something: whatever you write there next is the answer. */
function asking(questions: readonly Task[], members: readonly Member[]): string[] {
  if (questions.length === 0) return [];
  const rows = questions.map(({ id, agentId, askedIn, conversationId, updatedAt }) => [
    nameOf(agentId ?? '', members),
    `${Math.floor((Date.now() - updatedAt) / 60_000)} min`,
    id,
    `${me} send ${askedIn ?? conversationId} <your answer>`,
  ]);
  return [applyStyle('bold', 'Agents wait for your reply'), table(['AGENT', 'FOR', 'TASK', 'ANSWER WITH'], rows)];
}

function nameOf(id: string, members: readonly Member[]): string {
  const member = members.find((one) => one.id === id);
  return member ? sigilHandle(member) : 'somebody';
}

async function settle(settings: Settings, typed: string, output: Output): Promise<void> {
  const obligationId = /obl_[0-9A-Z]{26}/.exec(typed)?.[0];
  if (obligationId === undefined)
    throw new CliError('usage', `${typed} is not the id of something that is owed (obl_…).`, { hint: `\`${me} owed\` lists them.` });
  const obligation = await withAccess(settings, (access) => access.call('dischargeObligation', { params: { obligationId } }));
  output.result(obligation, `Settled: nobody is reminded of ${obligation.id} any more.`);
}

function section(title: string, found: readonly Obligation[], whose: (one: Obligation) => string, members: readonly Member[]): string[] {
  if (found.length === 0) return [];
  const rows = found.map((one) => [
    one.id,
    nameOf(whose(one), members),
    one.blocks,
    `${Math.floor((Date.now() - one.createdAt) / 60_000)} min`,
    String(one.returns),
    one.messageId,
  ]);
  return [applyStyle('bold', title), table(['ID', 'WHO', 'BLOCKS', 'FOR', 'RETURNS', 'MESSAGE'], rows)];
}
