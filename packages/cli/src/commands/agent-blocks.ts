import { everyMember } from '@parley/sdk/pages';
import type { Member } from '@parley/protocol';
import { type HubAccess, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import { type Output, table } from '../output.ts';
import type { Settings } from '../settings.ts';
import { findMember } from './members.ts';

const called = ({ kind, handle }: Member): string => `${kind === 'agent' ? '^' : '@'}${handle}`;

async function findAgent(access: HubAccess, typed: string): Promise<Member> {
  const member = await findMember(access, typed, '^');
  if (member.kind !== 'agent') throw new CliError('usage', `@${member.handle} is a person. Members are blocked for an agent.`);
  return member;
}

export async function blockMember(settings: Settings, typed: string, other: string | undefined, output: Output): Promise<void> {
  await withAccess(settings, async (access) => {
    const agent = await findAgent(access, typed);
    if (other === undefined) return listBlocks(access, agent, output);
    const member = await findMember(access, other);
    const block = await access.call('blockMember', { params: { memberId: agent.id, blockedId: member.id } });
    output.result(block, `${called(member)} is blocked for ${called(agent)}. Their words are stored and never wake it.`);
  });
}

async function listBlocks(access: HubAccess, agent: Member, output: Output): Promise<void> {
  const { blocks } = await access.call('listBlocks', { params: { memberId: agent.id } });
  const { members } = await everyMember(access);
  const names = new Map(members.map((member) => [member.id, called(member)]));
  const rows = blocks.map(({ memberId, blockedBy, at }) => [
    names.get(memberId) ?? '?',
    names.get(blockedBy ?? '') ?? '',
    new Date(at).toISOString(),
  ]);
  output.result({ blocks }, rows.length === 0 ? `Nobody is blocked for ${called(agent)}.` : table(['BLOCKED', 'BY', 'SINCE'], rows));
}

export async function unblockMember(settings: Settings, typed: string, other: string, output: Output): Promise<void> {
  await withAccess(settings, async (access) => {
    const agent = await findAgent(access, typed);
    const member = await findMember(access, other);
    await access.call('unblockMember', { params: { memberId: agent.id, blockedId: member.id } });
    output.result({}, `${called(member)} is no longer blocked for ${called(agent)}.`);
  });
}
