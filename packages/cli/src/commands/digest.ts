import { digestRange } from '@parley/protocol';
import { needsMember, withAccess } from '../hub-access.ts';
import { CliError } from '../exit.ts';
import type { Output } from '../output.ts';
import type { Settings } from '../settings.ts';
import { findMember } from './members.ts';
import { findChannel } from './send.ts';
import { seconds } from './tokens.ts';

export async function digest(settings: Settings, agent: string, channel: string, every: string, output: Output): Promise<void> {
  const everyMs = every === 'off' ? null : seconds(every, 'every') * 1000;
  if (everyMs !== null && (everyMs < digestRange.least || everyMs > digestRange.most))
    throw new CliError('usage', `A digest comes every 5 minutes at most and every 7 days at least, not every ${every}.`);
  if (!channel.startsWith('con_'))
    needsMember(settings, 'The operator of the hub is in no channel: say which by its id (con_…), or act as a member.');
  const { setting, handle } = await withAccess(settings, async (access) => {
    const member = await findMember(access, agent, '^');
    const { id: conversationId } = await findChannel(access, channel);
    const params = { conversationId, memberId: member.id };
    return { setting: await access.call('setDigest', { params, body: { everyMs } }), handle: member.handle };
  });
  const said = everyMs === null ? `^${handle} gets no digest of ${channel}.` : `^${handle} gets a digest of ${channel} every ${every}.`;
  output.result(setting, said);
}
