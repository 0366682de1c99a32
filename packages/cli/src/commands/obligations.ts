import { everyMember } from '@parley/sdk/pages';
import type { Member, Obligation } from '@parley/protocol';
import { needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { me } from '../program-name.ts';
import { type Output, applyStyle, table } from '../output.ts';
import type { Settings } from '../settings.ts';

export async function showObligations(settings: Settings, typed: string | undefined, output: Output): Promise<void> {
  needsMember(settings, 'Only members owe or await answers, and the operator of the hub is not one.');
  if (typed !== undefined) return settle(settings, typed, output);
  await withAccess(settings, async (access) => {
    const [{ obligations: owe }, { obligations: waiting }, { members }] = await Promise.all([
      access.call('listObligations', { query: { owe: 'me' } }),
      access.call('listObligations', { query: { waiting: 'me' } }),
      everyMember(access),
    ]);
    const words = [
      ...section('You owe an answer to', owe, (one) => one.authorId, members),
      ...section('You wait for', waiting, (one) => one.holderId, members),
    ];
    output.result({ owe, waiting }, words.length === 0 ? 'You owe nothing, and wait for nobody.' : words.join('\n'));
  });
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
  const name = (id: string): string => {
    const member = members.find((one) => one.id === id);
    return member ? `${member.kind === 'agent' ? '^' : '@'}${member.handle}` : 'somebody';
  };
  const rows = found.map((one) => [
    one.id,
    name(whose(one)),
    one.blocks,
    `${Math.floor((Date.now() - one.createdAt) / 60_000)} min`,
    String(one.returns),
    one.messageId,
  ]);
  return [applyStyle('bold', title), table(['ID', 'WHO', 'BLOCKS', 'FOR', 'RETURNS', 'MESSAGE'], rows)];
}
